// The player: moves through recorded ops. The page itself is the last position and all ops in words
// (the log); this script shows any other position in the same elements. What changes from op to op
// on chip stands in the JSON of each player, everything else is read from the page.
'use strict';

(() => {
  const LEVELS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789*/';
  const NO_TILE = { v: '', r: '', c: '', h: '', z: '', x: 0 };
  const words = (text) => (text === '' ? [] : text.split(' '));
  const bytes = (count) => count.toLocaleString('en-US') + ' B';

  function element(name, text, className) {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  }

  function header(scope, text) {
    const made = element('th', text);
    made.scope = scope;
    return made;
  }

  // A colour of the theme, as three numbers.
  function colour(style, name) {
    const hex = style.getPropertyValue(name).trim().slice(1);
    return [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16));
  }

  class Player {
    constructor(root) {
      this.root = root;
      const data = JSON.parse(root.querySelector('script[type="application/json"]').textContent);
      this.vectors = data.vectors.map(String);
      this.entries = [...root.querySelectorAll('.log li[data-op]')];
      this.count = this.entries.length;
      // At position n the first n of the recorded ops have executed.
      this.bytes = [[data.bytes[0], data.bytes[1], 0]];
      this.states = [Player.after({}, data.start)];
      for (const [loaded, stored, copied, changed] of data.ops) {
        this.bytes.push([loaded, stored, copied]);
        this.states.push(Player.after(this.states[this.states.length - 1], changed));
      }
      this.timer = 0;
      this.at = this.count;
      this.connect();
      this.show(this.count);
    }

    // The tiles after an op, from those before it: what was not said stays.
    static after(before, changed) {
      const tiles = { ...before };
      for (const [buffer, shot] of Object.entries(changed)) {
        tiles[buffer] = { ...NO_TILE, ...tiles[buffer], ...shot };
      }
      return tiles;
    }

    find(selector) {
      return this.root.querySelector(selector);
    }

    connect() {
      this.scrub = this.find('input[type=range]');
      this.speed = this.find('select');
      const controls = this.find('.controls');
      controls.hidden = this.count === 0;
      if (this.count === 0) return;
      const log = this.find('.log');
      log.open = false;
      controls.addEventListener('click', (event) => {
        const button = event.target.closest('button[data-go]');
        if (button) this.go(button.dataset.go);
      });
      this.scrub.addEventListener('input', () => {
        this.pause();
        this.show(Number(this.scrub.value));
      });
      this.speed.addEventListener('change', () => {
        if (!this.timer) return;
        this.pause();
        this.play();
      });
      // An op of the log, clicked, is gone to.
      log.addEventListener('click', (event) => {
        const entry = event.target.closest('li[data-op]');
        if (!entry || String(getSelection()) !== '') return;
        this.pause();
        this.show(this.entries.indexOf(entry) + 1);
      });
      this.root.addEventListener('keydown', (event) => this.key(event));
      // Alone on a page, it hears the keys wherever they are typed.
      if (document.querySelectorAll('.player').length === 1) {
        document.addEventListener('keydown', (event) => {
          if (event.target === document.body) this.key(event);
        });
      }
      addEventListener('beforeprint', () => {
        this.logWasOpen = log.open;
        log.open = true;
      });
      addEventListener('afterprint', () => {
        log.open = this.logWasOpen;
      });
      matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
        this.show(this.at);
      });
    }

    key(event) {
      if (event.ctrlKey || event.altKey || event.metaKey || event.target === this.speed) return;
      const goes = { ArrowLeft: 'back', ArrowRight: 'step', Home: 'first', End: 'last' };
      let go = goes[event.key];
      // Space belongs to whatever it presses.
      if (event.key === ' ' && !event.target.closest('button, summary, a')) go = 'play';
      if (!go) return;
      event.preventDefault();
      this.go(go);
    }

    go(where) {
      if (where === 'play') {
        if (this.timer) this.pause();
        else this.play();
        return;
      }
      this.pause();
      const to = { first: 0, back: this.at - 1, step: this.at + 1, last: this.count }[where];
      this.show(Math.min(Math.max(to, 0), this.count));
    }

    play() {
      if (this.at === this.count) this.show(0);
      this.timer = setInterval(() => {
        // The last op is shown by a player that has come to rest.
        if (this.at + 1 >= this.count) this.pause();
        this.show(Math.min(this.at + 1, this.count));
      }, 1000 / Number(this.speed.value));
      this.label();
    }

    pause() {
      clearInterval(this.timer);
      this.timer = 0;
      this.label();
    }

    label() {
      const button = this.find('[data-go=play]');
      const playing = this.timer !== 0;
      button.setAttribute('aria-label', playing ? 'Pause' : 'Play');
      button.title = (playing ? 'Pause' : 'Play') + ' (Space)';
      button.classList.toggle('playing', playing);
      button.querySelector('path').setAttribute('d', playing ? 'M6 4v12M13 4v12' : 'M6 4l10 6-10 6z');
    }

    show(position) {
      this.at = position;
      const entry = position > 0 ? this.entries[position - 1] : null;
      this.showOp(entry);
      this.showTable(entry);
      this.showTiles(position);
      this.showState(position);
      this.showTruth(position);
      this.showMap(entry);
      this.showControls(position, entry);
    }

    showControls(position, entry) {
      this.scrub.value = position;
      const said = entry
        ? `Op ${entry.dataset.op}: ${entry.querySelector('code').textContent}`
        : `Before op ${this.entries[0].dataset.op}`;
      this.scrub.setAttribute('aria-valuetext', said);
      this.find('.brief code').textContent = entry
        ? `${entry.dataset.op}  ${entry.querySelector('code').textContent}`
        : 'not begun';
      this.find('.position').textContent = `${position} of ${this.count}`;
      this.find('[data-go=first]').disabled = this.find('[data-go=back]').disabled = position === 0;
      this.find('[data-go=last]').disabled = this.find('[data-go=step]').disabled =
        position === this.count;
      // While it plays, a voice could not keep up.
      if (this.timer) return;
      const changes = entry ? [...entry.querySelectorAll('.changes li')].slice(0, 4) : [];
      this.find('.said').textContent =
        [said, ...changes.map((change) => change.textContent)].join('. ');
    }

    // What has just executed: its entry of the log, without the truth, which has its own place.
    showOp(entry) {
      const first = this.entries[0];
      const place = (entry || first).closest('.log-place');
      this.find('.now .where').textContent = place.querySelector('p').textContent;
      const op = this.find('.now .op');
      op.replaceChildren();
      if (entry) {
        for (const child of entry.children) {
          if (!child.querySelector('.truth')) op.append(child.cloneNode(true));
        }
      } else {
        const line = element('span', `Before op ${first.dataset.op}: `, 'op-line');
        line.append(element('code', first.querySelector('code').textContent));
        op.append(line, element('p', 'Nothing has executed yet. Step on to see what it does.'));
      }
      const [loaded, stored, copied] = this.bytes[this.at];
      this.find('.loaded').textContent = bytes(loaded);
      this.find('.stored').textContent = bytes(stored);
      this.find('.copied').textContent = bytes(copied);
      for (const other of this.entries) other.classList.toggle('current', other === entry);
    }

    showTable(entry) {
      const code = this.find('.code');
      this.line = null;
      for (const line of code.children) {
        const current = entry !== null && line.dataset.n === entry.dataset.line;
        line.classList.toggle('current', current);
        if (current) line.setAttribute('aria-current', 'step');
        else line.removeAttribute('aria-current');
        if (current) this.line = line;
      }
      if (!this.line) return;
      // Keep it in view within the box, without moving the page.
      const top = this.line.offsetTop - code.offsetTop;
      if (top < code.scrollTop + 24 || top > code.scrollTop + code.clientHeight - 48) {
        code.scrollTop = top - code.clientHeight / 2;
      }
    }

    showTiles(position) {
      const tiles = this.states[position];
      const before = this.states[Math.max(position - 1, 0)];
      const reads = words(this.line ? this.line.dataset.reads : '');
      const writes = words(this.line ? this.line.dataset.writes : '');
      for (const figure of this.root.querySelectorAll('.tile')) {
        const buffer = figure.dataset.b;
        const shot = tiles[buffer] || NO_TILE;
        const written = writes.includes(buffer);
        figure.classList.toggle('blank', shot.v === '');
        figure.classList.toggle('written', written);
        figure.classList.toggle('read', !written && reads.includes(buffer));
        figure.querySelector('.holds').textContent = shot.v === '' ? 'nothing yet' : shot.h;
        this.showGrid(figure.querySelector('table'), shot, written ? before[buffer] : shot);
        this.showHeat(figure, shot);
      }
    }

    // `old`: what to mark the changes against.
    showGrid(table, shot, old) {
      const columns = words(shot.c);
      const cells = words(shot.v);
      const moved = !old || old.r !== shot.r || old.c !== shot.c || old.v === '';
      const oldCells = moved ? [] : words(old.v);
      const head = element('tr');
      head.append(element('td'), ...columns.map((name) => header('col', name)));
      const rows = words(shot.r).map((name, r) => {
        const row = element('tr');
        row.append(header('row', name));
        for (let c = 0; c < columns.length; ++c) {
          const n = r * columns.length + c;
          row.append(element('td', cells[n], cells[n] !== oldCells[n] ? 'changed' : ''));
        }
        return row;
      });
      table.tHead.replaceChildren(head);
      table.tBodies[0].replaceChildren(...rows);
    }

    showHeat(figure, shot) {
      const canvas = figure.querySelector('canvas');
      const scale = figure.querySelector('.scale');
      canvas.hidden = scale.hidden = !shot.x;
      if (!shot.x) return;
      const [rows, columns, levels, low, high] = shot.x;
      canvas.width = columns;
      canvas.height = rows;
      const style = getComputedStyle(this.root);
      const from = colour(style, '--heat-low');
      const to = colour(style, '--heat-high');
      const odd = { '-': colour(style, '--heat-minus'), '+': to, '!': colour(style, '--heat-nan') };
      const context = canvas.getContext('2d');
      const picture = context.createImageData(columns, rows);
      for (let n = 0; n < levels.length; ++n) {
        const share = LEVELS.indexOf(levels[n]) / 63;
        const shade = odd[levels[n]] || from.map((start, i) => start + share * (to[i] - start));
        picture.data.set([...shade, 255], 4 * n);
      }
      context.putImageData(picture, 0, 0);
      const range = low === '' ? 'no finite number' : `${low} to ${high}`;
      const hidden = levels.includes('-') ? '; -inf grey' : '';
      scale.textContent = `${shot.z}: ${range}${hidden}`;
      canvas.setAttribute('aria-label',
        `Heat map of ${figure.querySelector('figcaption b').textContent}, ${shot.z}, ${range}`);
    }

    // The vectors side by side: a row per query row.
    showState(position) {
      const table = this.find('.state');
      if (!table) return;
      const tiles = this.states[position];
      const before = this.states[Math.max(position - 1, 0)];
      const writes = words(this.line ? this.line.dataset.writes : '');
      const names = [];
      const entries = this.vectors.map((buffer) => {
        const shot = tiles[buffer] || NO_TILE;
        const rows = words(shot.r);
        const cells = words(shot.v);
        if (shot.v !== '') names.push(...rows.filter((row) => !names.includes(row)));
        return new Map(rows.map((row, n) => [row, cells[n]]));
      });
      const rows = names.map((name) => {
        const row = element('tr');
        row.append(header('row', name));
        this.vectors.forEach((buffer, n) => {
          const old = before[buffer] || NO_TILE;
          const oldText = words(old.v)[words(old.r).indexOf(name)];
          const text = entries[n].get(name);
          const changed = writes.includes(buffer) && text !== undefined && text !== oldText;
          row.append(element('td', text === undefined ? '·' : text, changed ? 'changed' : ''));
        });
        return row;
      });
      table.tBodies[0].replaceChildren(...rows);
    }

    // The last truth that was told, marked where it is not of this very op.
    showTruth(position) {
      const box = this.find('.truth-so-far');
      if (!box) return;
      box.replaceChildren();
      for (let n = position; n > 0; --n) {
        const truth = this.entries[n - 1].querySelector('.scroll');
        if (!truth) continue;
        const copy = truth.cloneNode(true);
        copy.classList.toggle('past', n !== position);
        if (n !== position) {
          copy.querySelector('caption').append(`, at op ${this.entries[n - 1].dataset.op}`);
        }
        box.append(copy);
        return;
      }
    }

    showMap(entry) {
      const place = (entry || this.entries[0]).closest('.log-place');
      const op = entry ? Number(entry.dataset.op) : -1;
      for (const box of this.root.querySelectorAll('.map')) {
        const map = box.querySelector('svg');
        box.hidden = map.id !== place.dataset.map;
        for (const cell of map.querySelectorAll('.cell')) {
          const current = entry !== null && cell.dataset.q === place.dataset.q &&
            cell.dataset.k === place.dataset.k;
          const first = cell.dataset.op === undefined ? Infinity : Number(cell.dataset.op);
          cell.classList.toggle('current', current);
          cell.classList.toggle('done', !current && first <= op);
        }
      }
    }
  }

  // Players of one table: the first has its lines, the others take a copy.
  for (const code of document.querySelectorAll('.code[data-like]')) {
    const lines = document.getElementById(code.dataset.like).querySelectorAll('.code > li');
    code.replaceChildren(...[...lines].map((line) => line.cloneNode(true)));
  }
  for (const root of document.querySelectorAll('.player')) root.player = new Player(root);

  // Code that scrolls begins at the lines it is about.
  for (const code of document.querySelectorAll('.code.long')) {
    const marked = code.querySelector('.current');
    if (marked) code.scrollTop = marked.offsetTop - code.offsetTop - 48;
  }
})();
