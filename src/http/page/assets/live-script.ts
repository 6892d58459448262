/** The one script of the pages: it follows the checkpoint that a page names, and loads the page anew at its end. */
export const liveScript = `
for (const place of document.querySelectorAll('[data-events]')) {
  const source = new EventSource(place.dataset.events);
  const say = (text) => { place.textContent = text; };
  let trials = 0;
  let first = true;
  source.addEventListener('phase', (event) => {
    const { phase, doneCount, totalCount } = JSON.parse(event.data);
    say(phase + (totalCount === undefined ? '' : ' ' + doneCount + ' of ' + totalCount) + (trials === 0 ? '' : ', ' + trials + ' trials'));
  });
  source.addEventListener('trial', (event) => {
    const { number, passed } = JSON.parse(event.data);
    trials = number;
    say('trial ' + number + (passed ? ' passed' : ' failed'));
  });
  source.addEventListener('state', (event) => {
    const { state } = JSON.parse(event.data);
    if (['ready', 'failed', 'cancelled'].includes(state)) {
      source.close();
      location.reload();
    } else if (!first || place.textContent === '') {
      say(state);
    }
    first = false;
  });
}
`;
