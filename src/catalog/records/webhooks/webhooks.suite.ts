import { expect, test } from 'vitest';
import type { Catalog } from '../../contract/catalog.ts';
import type { CheckpointResult } from '../../contract/checkpoint-records.ts';
import { webhookEvents } from '../../../checkpoint/webhook-events.ts';
import { webhooksOfNamespaceMax, type Webhook } from '../../contract/webhooks/webhook-records.ts';
import {
  expectCode,
  freshName,
  makeCheckpoint,
  makeReady,
  makeRepository,
  makeRun,
} from '../../catalog-fixtures.test-support.ts';

const result: CheckpointResult = {
  fidelity: 'lossy',
  warnings: ['one'],
  kind: 'base',
  chainLength: 1,
  rawBytes: 1000,
  storedBytes: 100,
  degradation: { loss: 0.004 },
  trialCount: 0,
  seconds: {},
};
const leaseMs = 60_000;
const one = { limit: 100, perWebhook: 10, leaseMs };

/** Webhooks, and the messages to them. */
export function webhooksSuite(open: () => Catalog): void {
  const make = (set: Partial<Parameters<Catalog['webhooks']['create']>[0]> = {}): Promise<Webhook> =>
    open().webhooks.create({
      namespace: freshName(),
      url: 'https://ci.example/firn',
      secret: 'whsec_x',
      events: webhookEvents,
      ...set,
    });
  const bodies = async (id: string): Promise<Record<string, unknown>[]> =>
    (await open().deliveries.list(id, { limit: 100 })).map(({ body }) => JSON.parse(body) as Record<string, unknown>);

  test('a webhook is kept as it was made, changed in part, and deleted with its messages', async () => {
    const { webhooks, deliveries } = open();
    const repository = await makeRepository(open());
    const made = await make({ namespace: repository.namespace, repositoryId: repository.id });
    expect(made).toEqual({
      id: expect.any(String),
      namespace: repository.namespace,
      repository: repository.name,
      url: 'https://ci.example/firn',
      secret: 'whsec_x',
      events: webhookEvents,
      active: true,
      createdAt: expect.any(Date),
    });
    expect(await webhooks.get(made.id)).toEqual(made);
    expect(await webhooks.lock(made.id)).toEqual(made);
    const changed = await webhooks.change(made.id, { active: false, events: ['checkpoint.ready'] });
    expect(changed).toEqual({ ...made, active: false, events: ['checkpoint.ready'] });
    expect(await webhooks.change(made.id, {})).toEqual(changed);
    await deliveries.ping(made.id);
    await webhooks.delete(made.id);
    expect(await deliveries.list(made.id, { limit: 10 })).toEqual([]);
    for (const lost of [
      () => webhooks.delete(made.id),
      () => webhooks.change(made.id, { active: true }),
      () => webhooks.lock(made.id),
      () => deliveries.ping(made.id),
      () => deliveries.redeliver(made.id, '1'),
    ])
      await expectCode(lost(), 'not-found');
    expect(await webhooks.get(made.id)).toBeUndefined();
  });

  test('a list has those of a namespace with its repositories, or those of one repository', async () => {
    const { webhooks } = open();
    const [namespace, other] = [freshName(), freshName()];
    const { id: repositoryId } = await open().repositories.create({ namespace, name: 'r', type: 'model' });
    const whole = await make({ namespace });
    const single = await make({ namespace, repositoryId });
    const elsewhere = await make({ namespace: other });
    const seen = async (of: Parameters<typeof webhooks.list>[1]): Promise<string[]> =>
      (await webhooks.list({ limit: 1000 }, of))
        .map(({ id }) => id)
        .filter((id) => [whole.id, single.id, elsewhere.id].includes(id));
    expect(await seen('all')).toHaveLength(3);
    expect((await seen({ namespaces: [namespace], repositories: [] })).sort()).toEqual([whole.id, single.id].sort());
    expect(await seen({ namespaces: [], repositories: [{ namespace, name: 'r' }] })).toEqual([single.id]);
    expect(await seen({ namespaces: [], repositories: [] })).toEqual([]);
    const ids = (await webhooks.list({ limit: 1000 }, 'all')).map(({ id }) => id);
    expect((await webhooks.list({ limit: 1, after: ids[0]! }, 'all')).map(({ id }) => id)).toEqual([ids[1]]);
  });

  test('a namespace has so many webhooks and no more', async () => {
    const namespace = freshName();
    for (let index = 0; index < webhooksOfNamespaceMax; index++) await make({ namespace });
    await expectCode(make({ namespace }), 'conflict');
    await make();
  });

  test('a webhook goes with its repository, and moves with it', async () => {
    const { webhooks, repositories } = open();
    const { id: repositoryId, namespace } = await makeRepository(open());
    const { id } = await make({ namespace, repositoryId });
    const to = { namespace: freshName(), name: freshName() };
    await repositories.move(repositoryId, to);
    expect(await webhooks.get(id)).toMatchObject({ namespace: to.namespace, repository: to.name });
    await repositories.delete(repositoryId);
    expect(await webhooks.get(id)).toBeUndefined();
    await expectCode(make({ namespace, repositoryId }), 'not-found');
  });

  test('what becomes ready or fails is told to every active webhook of its place that wants it', async () => {
    const run = await makeRun(open());
    const { namespace, name } = (await open().repositories.get(run.repositoryId))!;
    const whole = await make({ namespace });
    const single = await make({ namespace, repositoryId: run.repositoryId, events: ['checkpoint.failed'] });
    const deaf = [
      await make(),
      await make({ namespace, repositoryId: (await makeRepository(open())).id }),
      await open().webhooks.change((await make({ namespace })).id, { active: false }),
    ];
    await makeReady(open(), run, 1, undefined, result);
    const { id } = await makeCheckpoint(open(), run, 2);
    await open().checkpoints.transition(id, ['open'], 'failed', { errorCode: 'graph-invalid', errorMessage: 'no' });
    const failed = {
      type: 'checkpoint.failed',
      timestamp: expect.any(String),
      data: {
        repository: `${namespace}/${name}`,
        run: run.name,
        step: 2,
        error: { code: 'graph-invalid', message: 'no' },
      },
    };
    const ready = {
      type: 'checkpoint.ready',
      timestamp: expect.any(String),
      data: {
        repository: `${namespace}/${name}`,
        run: run.name,
        step: 1,
        fidelity: 'lossy',
        kind: 'base',
        rawBytes: 1000,
        storedBytes: 100,
        degradation: { loss: 0.004 },
        warnings: ['one'],
      },
    };
    expect(await bodies(whole.id)).toEqual([failed, ready]);
    expect(await bodies(single.id)).toEqual([failed]);
    for (const webhook of deaf) expect(await bodies(webhook.id)).toEqual([]);
  });

  test('nothing is told of what was rolled back, or did not happen', async () => {
    const run = await makeRun(open());
    const { namespace } = (await open().repositories.get(run.repositoryId))!;
    const { id } = await make({ namespace });
    const checkpoint = await makeCheckpoint(open(), run, 1);
    const failing = open().transaction(async (tx) => {
      await tx.checkpoints.transition(checkpoint.id, ['open'], 'failed');
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    await expectCode(open().checkpoints.transition(checkpoint.id, ['working'], 'ready'), 'conflict');
    await open().checkpoints.transition(checkpoint.id, ['open'], 'cancelled');
    expect(await bodies(id)).toEqual([]);
  });

  test('damage is told once, by repository, with the checkpoints that need the object', async () => {
    const run = await makeRun(open());
    const { namespace, name } = (await open().repositories.get(run.repositoryId))!;
    const { id } = await make({ namespace, repositoryId: run.repositoryId, events: ['checkpoint.damaged'] });
    const base = await makeReady(open(), run, 1);
    await makeReady(open(), run, 2, base.package);
    for (const detail of ['chunk 1', 'chunk 2'])
      await open().damage.note({ key: base.package.key, what: 'corrupt', detail });
    await open().damage.clear(base.package.key);
    expect(await bodies(id)).toEqual([
      {
        type: 'checkpoint.damaged',
        timestamp: expect.any(String),
        data: {
          repository: `${namespace}/${name}`,
          count: 2,
          checkpoints: [
            { run: run.name, step: 1 },
            { run: run.name, step: 2 },
          ],
        },
      },
    ]);
  });

  test('a due message is taken once, and again when its taker has gone silent', async () => {
    const { deliveries } = open();
    const { id, url, secret } = await make();
    const mine = async (options: Partial<typeof one> = {}) =>
      (await deliveries.takeDue({ ...one, ...options })).filter(({ webhookId }) => webhookId === id);
    const ping = await deliveries.ping(id);
    expect(JSON.parse(ping.body)).toMatchObject({ type: 'ping', data: { webhook: id } });
    const takers = await Promise.all([mine({ leaseMs: 500 }), mine({ leaseMs: 500 })]);
    expect(takers.flat()).toMatchObject([{ id: ping.id, attempts: 1, webhook: { url, secret } }]);
    await expect.poll(async () => (await deliveries.get(id, ping.id))!.nextAt < (await open().now())).toBe(true);
    const [again] = await mine();
    expect(again).toMatchObject({ id: ping.id, attempts: 2 });
    expect(await mine()).toEqual([]);
    // The first taker is late.
    await deliveries.end({ id: ping.id, attempts: 1 }, { as: 'failed', error: 'late' });
    expect(await deliveries.get(id, ping.id)).toMatchObject({ state: 'pending' });
    await deliveries.end(again!, { as: 'delivered', status: 204 });
    expect(await deliveries.get(id, ping.id)).toMatchObject({
      state: 'delivered',
      status: 204,
      finishedAt: expect.any(Date),
    });
    await deliveries.end(again!, { as: 'failed', error: 'too late' });
    expect(await deliveries.get(id, ping.id)).toMatchObject({ state: 'delivered' });
  });

  test('a message that was not taken is due again after its delay; a failed one on request', async () => {
    const { deliveries } = open();
    const { id } = await make();
    const mine = async () => (await deliveries.takeDue(one)).filter(({ webhookId }) => webhookId === id);
    const ping = await deliveries.ping(id);
    await deliveries.end((await mine())[0]!, { as: 'retry', delayMs: 0, error: 'busy', status: 503 });
    expect(await deliveries.get(id, ping.id)).toMatchObject({ state: 'pending', status: 503, error: 'busy' });
    await deliveries.end((await mine())[0]!, { as: 'retry', delayMs: 60_000, error: 'x'.repeat(10_000) });
    const waiting = (await deliveries.get(id, ping.id))!;
    expect(waiting.error!.length).toBeLessThan(1000);
    expect(waiting.nextAt.getTime()).toBeGreaterThan((await open().now()).getTime() + 50_000);
    expect(await mine()).toEqual([]);
    expect(await deliveries.redeliver(id, ping.id)).toMatchObject({ state: 'pending', attempts: 0 });
    await deliveries.end((await mine())[0]!, { as: 'failed', error: 'no' });
    expect(await mine()).toEqual([]);
    await deliveries.redeliver(id, ping.id);
    expect(await mine()).toMatchObject([{ id: ping.id, attempts: 1 }]);
    await expectCode(deliveries.redeliver(id, '9'.repeat(30)), 'not-found');
    expect(await deliveries.get(id, 'x')).toBeUndefined();
    expect(await deliveries.list(id, { limit: 5, after: 'x' })).toEqual([]);
  });

  test('a receiver that is gone gets nothing more but pings', async () => {
    const { deliveries, webhooks } = open();
    const run = await makeRun(open());
    const { namespace } = (await open().repositories.get(run.repositoryId))!;
    const { id } = await make({ namespace });
    const mine = async () => (await deliveries.takeDue(one)).filter(({ webhookId }) => webhookId === id);
    await makeReady(open(), run, 1);
    await deliveries.ping(id);
    const [ready] = (await mine()).filter(({ event }) => event !== 'ping');
    await deliveries.end(ready!, { as: 'gone', status: 410, error: 'gone' });
    expect((await webhooks.get(id))!.active).toBe(false);
    await deliveries.redeliver(id, ready!.id);
    expect(await mine()).toEqual([]);
    await deliveries.ping(id);
    expect((await mine()).map(({ event }) => event)).toEqual(['ping']);
    await webhooks.change(id, { active: true });
    expect((await mine()).map(({ event }) => event)).toEqual(['checkpoint.ready']);
  });

  test('of one webhook only so many are taken at a time', async () => {
    const { deliveries } = open();
    const [busy, quiet] = [await make(), await make()];
    for (let index = 0; index < 5; index++) await deliveries.ping(busy.id);
    await deliveries.ping(quiet.id);
    const taken = await deliveries.takeDue({ ...one, perWebhook: 2 });
    const of = (id: string) => taken.filter(({ webhookId }) => webhookId === id).length;
    expect([of(busy.id), of(quiet.id)]).toEqual([2, 1]);
  });

  test('old messages are removed', async () => {
    const { deliveries, now } = open();
    const { id } = await make();
    await deliveries.ping(id);
    await deliveries.prune(new Date((await now()).getTime() - 60_000));
    expect(await deliveries.list(id, { limit: 5 })).toHaveLength(1);
    expect(await deliveries.prune(new Date((await now()).getTime() + 60_000))).toBeGreaterThan(0);
    expect(await deliveries.list(id, { limit: 5 })).toEqual([]);
  });
}
