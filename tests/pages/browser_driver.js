// Drives a page the way a reader would and tells what it found. The test puts it at the end of a
// copy of the page, behind `expected` (what was recorded), and reads the verdict, which is sent to
// the frame around it. `before`: what the page showed before its own script ran.
'use strict';

(async () => {
  const verdict = { errors: window.pageErrors, checks: 0, failures: [] };
  const text = (node) => (node ? node.textContent.replace(/\s+/g, '') : '(missing)');

  function check(got, want, what) {
    ++verdict.checks;
    if (got === want || verdict.failures.length > 20) return;
    verdict.failures.push(`${what}: got ${got}, want ${want}`);
  }

  const sleep = (duration) => new Promise((done) => { setTimeout(done, duration); });

  // What a player shows of tiles and state, as one text for each.
  function shown(root) {
    const tiles = {};
    for (const figure of root.querySelectorAll('.tile')) {
      const rows = [...figure.querySelectorAll('tbody tr')].map((row) =>
        [...row.children].map((cell) => cell.textContent).join(' '));
      tiles[figure.dataset.b] = rows.join(' | ');
    }
    return tiles;
  }

  function checkPlayer(root, recorded) {
    const where = root.id;
    const button = (go) => root.querySelector(`[data-go=${go}]`);
    const at = () => root.querySelector('.position').textContent;
    const count = recorded.ops.length;
    check(at(), `${count} of ${count}`, `${where} opens at its end`);
    button('first').click();
    check(at(), `0 of ${count}`, `${where} first`);
    check(button('back').disabled, true, `${where} nothing before the beginning`);
    recorded.ops.forEach((op, n) => {
      const here = `${where} op ${op.op}`;
      button('step').click();
      check(at(), `${n + 1} of ${count}`, here);
      check(text(root.querySelector('.now .op-number')), String(op.op), here);
      check(text(root.querySelector('.now code')), op.line.replace(/\s+/g, ''), here);
      check(root.querySelector('.now .where').textContent, op.place, here);
      check(root.querySelector('.loaded').textContent, op.loaded, here);
      check(root.querySelector('.stored').textContent, op.stored, here);
      const changes = [...root.querySelectorAll('.now .changes li')].map(text).join(';');
      check(changes, op.changes.map((change) => change.replace(/\s+/g, '')).join(';'), here);
      const tiles = shown(root);
      for (const [buffer, cells] of Object.entries(op.tiles)) {
        check(tiles[buffer], cells, `${here} tile ${buffer}`);
      }
      const states = [...root.querySelectorAll('.state tbody tr')].map((row) =>
        [...row.children].map((cell) => cell.textContent).join(' ')).join(' | ');
      check(states, op.state, `${here} state`);
      const line = root.querySelectorAll('.code .current');
      check(line.length, 1, `${here} one current line`);
      check(line[0].dataset.n, String(op.source_line), here);
      if (op.truth !== '') {
        check(text(root.querySelector('.truth-so-far tbody')), op.truth.replace(/\s+/g, ''),
          `${here} truth`);
      }
      const current = [...root.querySelectorAll('.map:not([hidden]) .cell.current')].map((cell) =>
        `${cell.dataset.q},${cell.dataset.k}`).join(' ');
      check(current, op.current_tile, `${here} current tile`);
      check(root.querySelectorAll('.map:not([hidden]) .cell.done').length, op.done_tiles,
        `${here} done tiles`);
      check(root.querySelector('.said').textContent.startsWith(`Op ${op.op}: ${op.line}`), true,
        `${here} is said`);
    });
    check(button('step').disabled, true, `${where} nothing behind the end`);
    for (const canvas of root.querySelectorAll('canvas:not([hidden])')) {
      const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
      check(pixels.some((value, n) => n % 4 < 3 && value !== pixels[n % 4]), true,
        `${where} a heat map shows something`);
    }
  }

  function checkKeys(root, count) {
    const at = () => Number(root.querySelector('.position').textContent.split(' ')[0]);
    const key = (name, target = root) =>
      target.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }));
    key('Home');
    check(at(), 0, 'Home');
    key('ArrowRight');
    check(at(), 1, 'right');
    key('ArrowLeft');
    check(at(), 0, 'left');
    key('End', root.querySelector('input[type=range]'));
    check(at(), count, 'End, on the slider');
    const range = root.querySelector('input[type=range]');
    range.value = 1;
    range.dispatchEvent(new Event('input', { bubbles: true }));
    check(at(), 1, 'slider');
    check(range.getAttribute('aria-valuetext').startsWith('Op '), true, 'the slider says its op');
    root.querySelector('.log li[data-op]:last-child').click();
    check(at() >= 1, true, 'an op of the log');
    key('Home');
    key(' ');
    const play = root.querySelector('[data-go=play]');
    check(play.getAttribute('aria-label'), 'Pause', 'Space plays');
    key(' ');
    check(play.getAttribute('aria-label'), 'Play', 'and pauses');
  }

  async function checkPlaying(root, count) {
    const select = root.querySelector('select');
    select.value = '15';
    root.querySelector('[data-go=first]').click();
    const play = root.querySelector('[data-go=play]');
    play.click();
    await sleep(1000 * (count + 3) / 15);
    check(root.querySelector('.position').textContent, `${count} of ${count}`, 'played to the end');
    check(play.getAttribute('aria-label'), 'Play', 'and has come to rest');
  }

  function checkQuiz(quiz) {
    const feedback = quiz.querySelector('.feedback');
    const button = quiz.querySelector('button');
    checkHeld(quiz, true);
    check(feedback.textContent, '', `${quiz.id} tells nothing before`);
    check(button.hidden, false, `${quiz.id} has a button`);
    button.click();
    check(feedback.textContent, 'Choose one first.', quiz.id);
    for (const radio of quiz.querySelectorAll('input')) {
      if (radio.value === quiz.dataset.right) continue;
      radio.click();
      button.click();
      check(feedback.querySelector('.bad') !== null, true, `${quiz.id} wrong option ${radio.value}`);
      const why = quiz.querySelector(`template[data-option="${radio.value}"]`);
      if (why) {
        check(feedback.textContent.includes(why.content.textContent), true, `${quiz.id} says why`);
      }
      const all = quiz.querySelector('template[data-option=all]');
      if (all) {
        check(feedback.textContent.includes(all.content.textContent), false,
          `${quiz.id} keeps the answer`);
      }
      check(quiz.classList.contains('solved'), false, quiz.id);
      checkHeld(quiz, true);
    }
    quiz.querySelector(`input[value="${quiz.dataset.right}"]`).click();
    button.click();
    check(feedback.querySelector('.good') !== null, true, `${quiz.id} right option`);
    check(quiz.classList.contains('solved'), true, quiz.id);
    checkHeld(quiz, false);
  }

  // What follows a quiz in its section is on paper only, until it is answered.
  function checkHeld(quiz, held) {
    let followers = 0;
    for (let next = quiz.nextElementSibling; next && !next.matches('h2, .teacher, .turn');
      next = next.nextElementSibling) {
      check(next.checkVisibility(), !held, `${quiz.id} before ${next.className || next.tagName}`);
      ++followers;
    }
    const section = [...document.querySelectorAll('main > h2')].filter((title) =>
      !title.checkVisibility()).length;
    check(section, 0, `${quiz.id} leaves the other sections`);
    const goesOn = quiz.querySelector('.goes-on');
    check(goesOn.checkVisibility(), held, `${quiz.id} offers its answer`);
    check(goesOn.firstElementChild.hidden, followers === 0, `${quiz.id} says that more follows`);
  }

  // What is held back is so on a screen alone.
  function checkPaper() {
    const rules = [...document.styleSheets[0].cssRules];
    const holds = (rule) => rule.cssText.includes('.held');
    check(rules.filter(holds).every((rule) => rule.media && rule.media.mediaText === 'screen'), true,
      'paper shows everything');
    check(rules.filter(holds).length, 1, 'one rule holds back');
  }

  function checkGivingUp(quiz) {
    checkHeld(quiz, true);
    quiz.querySelector('.give-up').click();
    checkHeld(quiz, false);
    const right = quiz.querySelector(`input[value="${quiz.dataset.right}"]`);
    check(right.checked && right.disabled, true, `${quiz.id} shows the answer`);
    check(quiz.querySelector('.feedback').textContent.startsWith('The answer: '), true, quiz.id);
    check(document.querySelector('.progress').textContent.startsWith('0 of '), true,
      `${quiz.id} shown is not answered`);
  }

  // A page that was solved and is opened again.
  function checkRemembered(quiz) {
    check(quiz.classList.contains('solved'), true, `${quiz.id} is remembered`);
    checkHeld(quiz, false);
    check(quiz.querySelector('input:checked').value, quiz.dataset.right, quiz.id);
    check(quiz.querySelector('.feedback .good') !== null, true, quiz.id);
    check(document.querySelector('.again') !== null, true, 'answers can be forgotten');
  }

  // Text against what is painted behind it, by the formula of WCAG.
  function checkContrast() {
    const numbers = (colour) => (colour.match(/[\d.]+/g) || []).map(Number);
    const luminance = (rgb) => {
      const [r, g, b] = rgb.map((v) => {
        const share = v / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const seen = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement;
      if (node.data.trim() === '' || !element.checkVisibility() || element.closest('svg')) continue;
      if (element.closest('button:disabled, script, style, noscript')) continue;
      const colour = getComputedStyle(element).color;
      let ground = [0, 0, 0, 0];
      for (let up = element; up && ground.length === 4 && ground[3] === 0; up = up.parentElement) {
        ground = numbers(getComputedStyle(up).backgroundColor);
      }
      const pair = `${colour} on ${ground}`;
      if (seen.has(pair)) continue;
      seen.add(pair);
      const [a, b] = [luminance(numbers(colour).slice(0, 3)), luminance(ground.slice(0, 3))];
      const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      check(contrast >= 4.5, true, `contrast ${contrast.toFixed(2)} of ${pair} (${element.className})`);
    }
    check(seen.size >= 5, true, 'text was looked at');
  }

  function checkWidth(when) {
    const page = document.documentElement;
    check(page.scrollWidth <= innerWidth, true,
      `${when}: ${page.scrollWidth} px wide in a window of ${innerWidth}`);
    // What a thumb has to hit.
    for (const button of document.querySelectorAll('.buttons button')) {
      const box = button.getBoundingClientRect();
      check(box.width >= 36 && box.height >= 36, true, `${when}: a button of ${box.width} px`);
    }
  }

  try {
    const players = [...document.querySelectorAll('.player')];
    check(players.length, expected.players.length, 'players');
    players.forEach((root, n) => {
      // The script draws what the page showed without it.
      check(JSON.stringify(shown(root)), JSON.stringify(before[n].tiles), `${root.id} without script`);
      check(text(root.querySelector('.state')), before[n].state, `${root.id} without script`);
      check(text(root.querySelector('.code .current')), before[n].line, `${root.id} without script`);
      check(root.querySelector('.tilemap') ? root.querySelector('.tilemap').innerHTML : '',
        before[n].map, `${root.id} map without script`);
    });
    checkWidth('as opened');
    players.forEach((root, n) => checkPlayer(root, expected.players[n]));
    checkKeys(players[0], expected.players[0].ops.length);
    await checkPlaying(players[0], expected.players[0].ops.length);
    const look = expected.again ? checkRemembered : expected.gives_up ? checkGivingUp : checkQuiz;
    for (const quiz of document.querySelectorAll('.quiz')) look(quiz);
    checkPaper();
    const quizzes = document.querySelectorAll('.quiz').length;
    if (quizzes > 0 && !expected.gives_up) {
      check(document.querySelector('.progress').textContent.startsWith(`${quizzes} of ${quizzes} `),
        true, 'progress');
    }
    for (const details of document.querySelectorAll('details')) details.open = true;
    checkWidth('all unfolded');
    checkContrast();
  } catch (error) {
    verdict.failures.push(`the driver fell: ${error.stack}`);
  }
  parent.postMessage(JSON.stringify(verdict), '*');
})();
