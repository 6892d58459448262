import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/config.ts';
import { jobStates } from '../../src/catalog/contract/work/job-records.ts';
import { deviceKinds } from '../../src/checkpoint/device-kind.ts';
import { deviceWishes } from '../../src/checkpoint/options/device-wish.ts';
import { registerProcessMetrics } from '../../src/upkeep/process-metrics.ts';
import { typeErrors } from './type-errors.ts';

interface EnvironmentVariable {
  readonly name: string;
  readonly value: string;
}

/** A metric of an autoscaler that is not of the cluster itself. */
interface External {
  readonly external: {
    readonly metric: { readonly name: string; readonly selector: { readonly matchLabels: Record<string, string> } };
    readonly target: { readonly value: string };
  };
}

/** A rule of a network policy. */
interface Egress {
  readonly to: readonly { readonly ipBlock?: { readonly cidr: string } }[];
  readonly ports: readonly { readonly port: number }[];
}

const root = fileURLToPath(new URL('../../k8s/', import.meta.url));

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  // Manifests are read as they lie; the schemas say what they hold.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly [key: string]: any;
}

const manifests = await readManifests();
const isKustomization = ({ kind }: Manifest): boolean => kind === 'Kustomization' || kind === 'Component';
const resources = manifests.filter(({ manifest }) => !isKustomization(manifest));
const kustomizations = manifests.filter(({ manifest }) => isKustomization(manifest));
const deployments = resources.map(({ manifest }) => manifest).filter(({ kind }) => kind === 'Deployment');

async function readManifests(): Promise<{ path: string; manifest: Manifest }[]> {
  const found = [];
  for (const name of await readdir(root, { recursive: true })) {
    if (!name.endsWith('.yaml')) continue;
    for (const document of parseAllDocuments(await readFile(join(root, name), 'utf8'), {
      strict: true,
      uniqueKeys: true,
    })) {
      const [error] = document.errors;
      if (error !== undefined) throw error;
      found.push({ path: name, manifest: document.toJS() as Manifest });
    }
  }
  return found;
}

async function readEnvironment(path: string): Promise<Record<string, string>> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

/** Validates a manifest with the published schema of its kind. */
async function validate({ apiVersion, kind, ...rest }: Manifest): Promise<void> {
  const module = (await import(`kubernetes-models/${apiVersion}/${kind}`)) as Record<
    string,
    new (data: object) => { validate(): void }
  >;
  new module[kind]!(rest).validate();
}

describe('the manifests', () => {
  it.each(
    resources.map(({ path, manifest }) => [`${path}: ${manifest.kind} ${manifest.metadata.name}`, manifest] as const),
  )('%s fits the published schema', async (_, manifest) => {
    await validate(manifest);
  });

  it('the examples run the version of this package', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as Manifest;
    const tags = kustomizations.flatMap(({ manifest }) => (manifest.images ?? []) as { newTag?: string }[]);
    expect(tags.map(({ newTag }) => newTag)).toEqual([version, version]);
  });

  it('have no key that is not in it, anywhere', () => {
    expect(typeErrors(resources.map(({ manifest }) => manifest))).toEqual([]);
    const { spec, ...rest } = deployments[0]!;
    const misspelt = {
      ...rest,
      spec: { ...spec, template: { ...spec.template, spec: { ...spec.template.spec, terminationGracePeriod: 65 } } },
    };
    expect(typeErrors([misspelt])).toEqual([expect.stringMatching(/^1: .*"terminationGracePeriod"' does not exist/)]);
  });

  it('would not fit it with a wrong type or a missing value', async () => {
    const deployment = deployments[0]!;
    for (const spec of [
      { ...deployment.spec, replicas: 'two' },
      { ...deployment.spec, selector: undefined },
      { ...deployment.spec, template: { spec: { containers: [{ image: 'firn' }] } } },
    ])
      await expect(validate({ ...deployment, spec })).rejects.toThrow();
  });

  it('list files that are there, and every file is listed', async () => {
    const listed = kustomizations.flatMap(({ path, manifest }) => {
      const envs = [...(manifest.configMapGenerator ?? []), ...(manifest.secretGenerator ?? [])].flatMap(
        ({ envs: files }: { envs: string[] }) => files,
      );
      const named: string[] = [...manifest.resources, ...(manifest.components ?? []), ...envs];
      return named.map((name) => join(root, path, '..', name));
    });
    expect(listed.filter((path) => !existsSync(path))).toEqual([]);
    const files = (await readdir(root, { recursive: true })).filter(
      (name) => /\.(yaml|env)$/.test(name) && !name.endsWith('kustomization.yaml'),
    );
    expect(files.filter((name) => !listed.includes(join(root, name)))).toEqual([]);
  });

  it('set only configuration that Firn knows, and none that it refuses', async () => {
    const ofOverlay = ['overlays/example/firn.env', 'overlays/example/secret.env'];
    for (const [overlay, files] of Object.entries({ base: [], 'overlays/example': ofOverlay })) {
      const environment = { ...(await readEnvironment(join(root, 'base/firn.env'))) };
      for (const file of files) Object.assign(environment, await readEnvironment(join(root, file)));
      expect(() => readConfig(environment), relative('.', overlay)).not.toThrow();
    }
    const environment = await readEnvironment(join(root, 'base/firn.env'));
    const own = deployments.flatMap(
      ({ spec }) => (spec.template.spec.containers[0].env ?? []) as EnvironmentVariable[],
    );
    const ownKeys = Object.fromEntries(own.map(({ name, value }) => [name, value]));
    expect(readConfig({ ...environment, ...ownKeys })).toMatchObject({ evaluateOn: 'cuda' });
  });

  it('select the pods they are meant for', () => {
    const labelsOf = (manifest: Manifest): Record<string, string> => manifest.spec.template.metadata.labels;
    const selects = (selector: Record<string, string>, manifest: Manifest): boolean =>
      Object.entries(selector).every(([key, value]) => labelsOf(manifest)[key] === value);
    expect(deployments).toHaveLength(3);
    for (const deployment of deployments) {
      expect(deployments.filter((other) => selects(deployment.spec.selector.matchLabels, other))).toEqual([deployment]);
      const named = (kind: string) =>
        resources.find(({ manifest }) => manifest.kind === kind && manifest.metadata.name === deployment.metadata.name)!
          .manifest;
      expect(named('HorizontalPodAutoscaler').spec.scaleTargetRef).toEqual({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        name: deployment.metadata.name,
      });
      expect(selects(named('PodDisruptionBudget').spec.selector.matchLabels, deployment)).toBe(true);
    }
    const service = resources.find(({ manifest }) => manifest.kind === 'Service')!.manifest;
    expect(
      deployments
        .filter((deployment) => selects(service.spec.selector, deployment))
        .map(({ metadata }) => metadata.name),
    ).toEqual(['firn-gateway']);
  });

  it('give a process as long to end as it takes, and scratch files a place where it may write', async () => {
    const { drainMs, unreadyMs, workDirectory } = readConfig(await readEnvironment(join(root, 'base/firn.env')));
    for (const { spec } of deployments) {
      const pod = spec.template.spec;
      expect(pod.terminationGracePeriodSeconds * 1000).toBeGreaterThanOrEqual(drainMs + unreadyMs + 10_000);
      const [container] = pod.containers;
      expect(container.securityContext.readOnlyRootFilesystem).toBe(true);
      expect(
        container.volumeMounts.some(({ mountPath }: { mountPath: string }) =>
          workDirectory.startsWith(`${mountPath}/`),
        ),
      ).toBe(true);
    }
  });

  it('let workers, which run uploaded graphs, reach only names before an overlay adds database and bucket', () => {
    const { spec } = resource('NetworkPolicy', 'firn-worker');
    const [{ key, operator, values }] = spec.podSelector.matchExpressions;
    const fenced = deployments.filter(({ spec: { template } }) => values.includes(template.metadata.labels[key]));
    expect([operator, fenced.map(({ metadata }) => metadata.name).sort()]).toEqual([
      'In',
      ['firn-gpu-worker', 'firn-worker'],
    ]);
    expect(spec.policyTypes).toEqual(['Ingress', 'Egress']);
    const open = spec.egress.filter(
      ({ to, ports }: { to?: unknown[]; ports?: unknown[] }) => !to?.length || !ports?.length,
    );
    expect(open).toEqual([]);
    const ports = (rule: Egress) => rule.ports.map(({ port }) => port);
    const [names, ...addressed] = spec.egress as Egress[];
    expect(names).toMatchObject({
      to: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } } }],
    });
    expect(ports(names!)).toEqual([53, 53]);
    expect(addressed.map(ports)).toEqual([[5432], [443]]);
    // Addresses reserved for documentation (RFC 5737), which no machine has.
    expect(addressed.map(({ to }) => to.map(({ ipBlock }) => ipBlock?.cidr))).toEqual([
      ['192.0.2.1/32'],
      ['192.0.2.2/32'],
    ]);
  });

  it('show an overlay that replaces each placeholder of the network policy, and opens no port to everything', () => {
    const overlay = kustomizations.find(({ path }) => path === 'overlays/example/kustomization.yaml')!.manifest;
    const [{ patch }] = overlay.patches.filter(
      ({ target }: { target: { name: string } }) => target.name === 'firn-worker',
    );
    const operations = parse(patch) as { op: string; path: string; value: Egress['to'] }[];
    expect(operations.map(({ op, path }) => `${op} ${path}`)).toEqual([
      'replace /spec/egress/1/to',
      'replace /spec/egress/2/to',
    ]);
    const cidrs = operations.flatMap(({ value }) => value.map(({ ipBlock }) => ipBlock!.cidr));
    expect(cidrs.filter((cidr) => Number(cidr.split('/')[1]) < 16)).toEqual([]);
  });

  it('count workers by the queue, in series that /metrics has', async () => {
    const { spec } = resource('HorizontalPodAutoscaler', 'firn-worker');
    const names = spec.metrics.map(
      ({ type, external }: { type: string; external?: { metric: { name: string } } }) => external?.metric.name ?? type,
    );
    expect(names).toEqual(['firn_job_oldest_queued_seconds', 'firn_jobs']);
    const registry = new Registry();
    registerProcessMetrics(registry, { catalog: {} as never, core: {} as never, jobKinds: [] });
    for (const name of names) expect(registry.getSingleMetric(name), name).toBeDefined();
  });

  it('have workers with a GPU, which are counted by the age of what wishes for one', () => {
    const { spec } = deployments.find(({ metadata }) => metadata.name === 'firn-gpu-worker')!;
    const { containers, tolerations } = spec.template.spec;
    expect(containers[0].resources.limits['nvidia.com/gpu']).toBe(1);
    expect(tolerations).toEqual([{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }]);
    const metrics = resource('HorizontalPodAutoscaler', 'firn-gpu-worker').spec.metrics as External[];
    const waits = metrics.map(({ external }) => external).slice(0, 2);
    expect(waits.map(({ metric }) => [metric.name, metric.selector.matchLabels.device])).toEqual([
      ['firn_job_oldest_queued_seconds', 'preferred'],
      ['firn_job_oldest_queued_seconds', 'required'],
    ]);
    // Else other workers would take what waits before there is one more worker with a GPU.
    const { deviceWaitMs } = readConfig({});
    for (const { target } of waits) expect(Number(target.value) * 1000).toBeLessThan(deviceWaitMs / 2);
    const known = { device: deviceWishes, worker: deviceKinds, state: jobStates, kind: ['encode'] } as const;
    for (const { external } of metrics)
      for (const [label, value] of Object.entries(external.metric.selector.matchLabels))
        expect(known[label as keyof typeof known]).toContain(value);
  });

  it('patch the autoscaler of the workers without at a place that is there', () => {
    const component = kustomizations.find(({ path }) => path === 'components/gpu/kustomization.yaml')!.manifest;
    const [{ target, patch }] = component.patches;
    expect(target).toEqual({ kind: 'HorizontalPodAutoscaler', name: 'firn-worker' });
    const [replaced] = parse(patch) as { op: string; path: string }[];
    expect(replaced).toMatchObject({ op: 'replace', path: '/spec/metrics/0/external/metric/selector' });
    const [first] = resource('HorizontalPodAutoscaler', 'firn-worker').spec.metrics as External[];
    expect(first!.external.metric).toMatchObject({
      name: 'firn_job_oldest_queued_seconds',
      selector: { matchLabels: { kind: 'encode' } },
    });
  });

  it('migrate the database in one job, and not at each start', async () => {
    const { spec } = resource('Job', 'firn-migrate').spec.template;
    expect(spec.containers[0]).toMatchObject({ image: 'firn', args: ['migrate'] });
    const { workDirectory } = readConfig({ ...(await readEnvironment(join(root, 'base/firn.env'))) });
    expect(
      spec.containers[0].volumeMounts.some(({ mountPath }: { mountPath: string }) =>
        workDirectory.startsWith(`${mountPath}/`),
      ),
    ).toBe(true);
    const environment = await readEnvironment(join(root, 'base/firn.env'));
    expect(readConfig({ ...environment, FIRN_DATABASE_URL: 'postgres://firn@db/firn' }).database?.migrate).toBe(false);
  });
});

function resource(kind: string, name: string): Manifest {
  return resources.find(({ manifest }) => manifest.kind === kind && manifest.metadata.name === name)!.manifest;
}
