/**
 * The one script of the pages: it follows the checkpoint that a page names, lists its trials as they come, and loads
 * the page anew at its end.
 */
export const liveScript = `
const listedMax = 20;
for (const place of document.querySelectorAll('[data-events]')) {
  const source = new EventSource(place.dataset.events);
  const list = document.getElementById('live-trials');
  const say = (text) => { place.textContent = text; };
  const shares = JSON.parse(place.dataset.shares ?? '[]');
  let trials = 0;
  source.addEventListener('phase', (event) => {
    const { phase, doneCount, totalCount } = JSON.parse(event.data);
    const count = totalCount === undefined ? '' : ' ' + doneCount + ' of ' + totalCount;
    say(phase + count + (trials === 0 ? '' : ', ' + trials + (trials === 1 ? ' trial' : ' trials')));
  });
  source.addEventListener('trial', (event) => {
    const { number, passed, estimatedBytes, degradation } = JSON.parse(event.data);
    trials = number;
    const words = 'trial ' + number + (passed ? ' passed' : ' did not pass');
    say(words);
    if (list === null) return;
    const lost = Object.entries(degradation).map(([metric, value]) =>
      metric + ' lost ' + (value === null ? 'more than can be counted'
        : shares.includes(metric) ? Number((100 * value).toPrecision(3)) + ' %' : Number(value.toPrecision(4))));
    const item = document.createElement('li');
    item.textContent = [words, 'about ' + Math.ceil(estimatedBytes / 1024) + ' KiB', ...lost].join(', ');
    list.append(item);
    if (list.children.length > listedMax) list.firstChild.remove();
  });
  source.addEventListener('state', (event) => {
    const { state, waitsFor } = JSON.parse(event.data);
    if (['ready', 'failed', 'cancelled'].includes(state)) {
      source.close();
      location.reload();
    } else if (trials === 0) {
      say(state + (waitsFor === undefined ? '' : ', ' + waitsFor.inWords));
    }
  });
}
`;
