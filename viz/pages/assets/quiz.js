// Quizzes: a choice is checked, the reason told, and another try allowed. What follows in the section
// is held back until the right answer is chosen or shown, so that it does not give it away. What was answered is
// kept in the browser's storage where it has one for this page; a page opened from a file may not.
'use strict';

(() => {
  const quizzes = [...document.querySelectorAll('.quiz')];
  const progress = document.querySelector('.progress');
  const key = 'flashscope.lesson.' + document.querySelector('main').dataset.lesson;

  // By the question: the option chosen last, as it reads, how many tries it took, and whether the
  // answer was shown instead. Texts, so that a lesson that has been edited since finds what still is the same.
  const question = (quiz) => quiz.querySelector('legend').textContent;
  const reads = (radio) => radio.parentElement.textContent.trim();
  const isRight = (quiz) => {
    const answer = answers[question(quiz)];
    return answer !== undefined && !answer.shown && answer.choice === reads(rightOf(quiz));
  };
  const rightOf = (quiz) => quiz.querySelector(`input[value="${quiz.dataset.right}"]`);
  let answers = {};
  try {
    answers = JSON.parse(localStorage.getItem(key)) || {};
  } catch (error) {
    answers = {};
  }

  function keep() {
    try {
      localStorage.setItem(key, JSON.stringify(answers));
    } catch (error) {
      // No storage: the page works without.
    }
    const right = quizzes.filter(isRight);
    const first = right.filter((quiz) => answers[question(quiz)].tries === 1);
    progress.textContent = Object.keys(answers).length === 0 ? ''
      : `${right.length} of ${quizzes.length} answered, ${first.length} at the first try`;
  }

  function told(quiz, option) {
    const template = quiz.querySelector(`template[data-option="${option}"]`);
    if (!template) return null;
    const paragraph = document.createElement('p');
    paragraph.append(template.content.cloneNode(true));
    return paragraph;
  }

  // The end of the section is a heading of its level, or what stands behind the lesson's last one.
  function restOfSection(quiz) {
    const rest = [];
    for (let next = quiz.nextElementSibling; next; next = next.nextElementSibling) {
      if (next.matches('h2, .teacher, .turn')) break;
      rest.push(next);
    }
    return rest;
  }

  // Shows each section up to its first quiz that is open.
  function holdBack() {
    const held = new Set(quizzes.filter((quiz) => !quiz.classList.contains('solved'))
      .flatMap(restOfSection));
    for (const part of document.querySelectorAll('main > *')) {
      const appears = part.classList.contains('held') && !held.has(part);
      part.classList.toggle('held', held.has(part));
      // What a player scrolled to while it had no size, it has to scroll to again.
      if (appears && part.player) part.player.show(part.player.at);
    }
    for (const quiz of quizzes) {
      const goesOn = quiz.querySelector('.goes-on');
      goesOn.hidden = quiz.classList.contains('solved');
      goesOn.firstElementChild.hidden = restOfSection(quiz).length === 0;
    }
  }

  function offerAnswer(quiz) {
    const goesOn = document.createElement('p');
    goesOn.className = 'goes-on';
    const words = document.createElement('span');
    words.textContent = 'The section goes on behind your answer. Answer first, or ';
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'give-up';
    button.textContent = 'Show the answer';
    button.addEventListener('click', () => {
      const tries = answers[question(quiz)]?.tries || 0;
      answers[question(quiz)] = { choice: reads(rightOf(quiz)), tries, shown: true };
      rightOf(quiz).checked = true;
      judge(quiz, quiz.dataset.right, true);
      keep();
    });
    goesOn.append(words, button);
    quiz.querySelector('fieldset').append(goesOn);
  }

  function judge(quiz, choice, shown) {
    const right = choice === quiz.dataset.right;
    const feedback = quiz.querySelector('.feedback');
    const verdict = document.createElement('p');
    verdict.className = right ? 'good' : 'bad';
    verdict.textContent = shown ? `The answer: ${reads(rightOf(quiz))}`
      : right ? '✓ Right.' : '✗ Not this one. Try again.';
    // The reason for everybody comes with the right answer; before that it would give it away.
    const parts = [verdict, told(quiz, choice), right ? told(quiz, 'all') : null];
    feedback.replaceChildren(...parts.filter(Boolean));
    quiz.classList.toggle('solved', right);
    quiz.querySelector('button').disabled = right;
    for (const radio of quiz.querySelectorAll('input')) radio.disabled = right;
    if (right) holdBack();
  }

  quizzes.forEach(offerAnswer);
  for (const quiz of quizzes) {
    const button = quiz.querySelector('button');
    button.hidden = false;
    button.addEventListener('click', () => {
      const chosen = quiz.querySelector('input:checked');
      if (!chosen) {
        quiz.querySelector('.feedback').textContent = 'Choose one first.';
        return;
      }
      const tries = (answers[question(quiz)]?.tries || 0) + 1;
      answers[question(quiz)] = { choice: reads(chosen), tries };
      judge(quiz, chosen.value);
      keep();
    });
    // As it was left.
    const left = answers[question(quiz)];
    const radio = left &&
      [...quiz.querySelectorAll('input')].find((option) => reads(option) === left.choice);
    if (radio) {
      radio.checked = true;
      judge(quiz, radio.value, left.shown);
    }
  }

  holdBack();

  if (Object.keys(answers).length > 0) {
    const again = document.createElement('button');
    again.type = 'button';
    again.className = 'again';
    again.textContent = 'Forget my answers';
    again.addEventListener('click', () => {
      answers = {};
      keep();
      location.reload();
    });
    progress.after(again);
  }
  keep();
})();
