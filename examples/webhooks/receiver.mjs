// Receives the messages of a webhook and prints them: WEBHOOK_SECRET=whsec_... node receiver.mjs [PORT]
// Needs nothing but Node. How messages are signed: https://www.standardwebhooks.com
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const key = Buffer.from((process.env.WEBHOOK_SECRET ?? '').replace(/^whsec_/, ''), 'base64');
if (key.length < 24) throw new Error('WEBHOOK_SECRET must be the secret of the webhook: whsec_...');
/** A message older than this, in seconds, may be one that somebody recorded and sends again. */
const ageMax = 300;
/** Longest message, in bytes. */
const bytesMax = 1024 * 1024;

function isGenuine(headers, body) {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) => headers[`webhook-${name}`] ?? '');
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= ageMax)) return false;
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  return signatures.split(' ').some((signature) => {
    const [version, text = ''] = signature.split(',');
    const sent = Buffer.from(text, 'base64');
    return version === 'v1' && sent.length === expected.length && timingSafeEqual(sent, expected);
  });
}

/** A message can come twice, with the same id. */
const seen = new Set();

const server = createServer((request, response) => {
  receive(request, response).catch((error) => {
    // The sender hung up, or sent no JSON.
    console.error(String(error));
    response.destroy();
  });
});

async function receive(request, response) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > bytesMax) return response.writeHead(413, { connection: 'close' }).end();
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  if (!isGenuine(request.headers, body)) return response.writeHead(401).end();
  // Answer first: whoever sends waits ten seconds at most.
  response.writeHead(204).end();
  const id = request.headers['webhook-id'];
  if (seen.has(id)) return undefined;
  seen.add(id);
  const { type, data } = JSON.parse(body);
  console.log(type, JSON.stringify(data));
  return undefined;
}
server.listen(Number(process.argv[2] ?? 9000), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
