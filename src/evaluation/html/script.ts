/** Sorting, filtering and unfolding. Without it the page shows everything, in the order of the file. */
export const SCRIPT = `
'use strict';
const list = document.getElementById('list');
const filters = document.getElementById('filters');
const byId = (id) => document.getElementById(id);

for (const table of document.querySelectorAll('table.sortable')) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => {
      const first = head.classList.contains('num') ? 'descending' : 'ascending';
      const second = first === 'ascending' ? 'descending' : 'ascending';
      const direction = head.getAttribute('aria-sort') === first ? second : first;
      for (const other of heads) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', direction);
      const key = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
      const compare = (a, b) => {
        const [x, y] = [key(a), key(b)];
        const difference = Number(x) - Number(y);
        return Number.isNaN(difference) ? x.localeCompare(y) : difference;
      };
      const sign = direction === 'ascending' ? 1 : -1;
      const body = table.tBodies[0];
      body.append(...[...body.rows].sort((a, b) => sign * compare(a, b)));
    });
  });
}

if (list && filters) {
  const questions = [...list.children];
  const texts = questions.map((question) => question.querySelector('.query').textContent.toLowerCase());
  const show = () => {
    const words = byId('find').value.toLowerCase().split(/\\s+/).filter(Boolean);
    const kind = byId('kind').value;
    const which = byId('which').value;
    let count = 0;
    questions.forEach((question, index) => {
      const { dataset } = question;
      const wanted = words.every((word) => texts[index].includes(word))
        && (kind === '' || dataset.kind === kind)
        && (which !== 'differs' || Number(dataset.spread) > 0)
        && (which !== 'missed' || dataset.missed === '1');
      question.hidden = !wanted;
      if (wanted) count += 1;
    });
    byId('shown').textContent = count === questions.length ? count + ' questions' : count + ' of ' + questions.length + ' questions';
  };
  const order = () => {
    const by = byId('order').value;
    const place = new Map(questions.map((question, index) => [question, index]));
    const value = {
      file: (question) => place.get(question),
      spread: (question) => -Number(question.dataset.spread),
      worst: (question) => Number(question.dataset.worst),
    }[by];
    list.append(...[...questions].sort((a, b) => value(a) - value(b) || place.get(a) - place.get(b)));
  };
  filters.hidden = false;
  filters.addEventListener('submit', (event) => event.preventDefault());
  for (const id of ['find', 'kind', 'which']) byId(id).addEventListener('input', show);
  byId('order').addEventListener('input', order);
  show();
}

const reveal = () => {
  const target = byId(location.hash.slice(1));
  if (!target) return;
  for (let at = target; at; at = at.parentElement) {
    at.hidden = false;
    if (at.tagName === 'DETAILS') at.open = true;
  }
  const explanation = target.tagName === 'ARTICLE' ? target.querySelector('.explanation') : null;
  if (explanation) explanation.open = true;
  target.scrollIntoView();
  if (target.tagName === 'ARTICLE') target.focus({ preventScroll: true });
};
addEventListener('hashchange', reveal);
reveal();

addEventListener('beforeprint', () => {
  for (const pair of document.querySelectorAll('section > details')) pair.open = true;
});
`;
