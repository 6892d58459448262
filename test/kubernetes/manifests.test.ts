import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/config.ts';
import { typeErrors } from './type-errors.ts';

const root = fileURLToPath(new URL('../../k8s/', import.meta.url));

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  // Manifests are read as they lie; the schemas say what they hold.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly [key: string]: any;
}

const manifests = await readManifests();
const isKustomization = ({ kind }: Manifest): boolean => kind === 'Kustomization';
const resources = manifests.filter(({ manifest }) => !isKustomization(manifest));
const kustomizations = manifests.filter(({ manifest }) => isKustomization(manifest));
const deployments = resources.map(({ manifest }) => manifest).filter(({ kind }) => kind === 'Deployment');

async function readManifests(): Promise<{ path: string; manifest: Manifest }[]> {
  const found = [];
  for (const name of await readdir(root, { recursive: true })) {
    if (!name.endsWith('.yaml')) continue;
    for (const document of parseAllDocuments(await readFile(join(root, name), 'utf8'), { strict: true, uniqueKeys: true })) {
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

/** The published schema of a kind, with a model of its own to validate it by. */
async function validate({ apiVersion, kind, ...rest }: Manifest): Promise<void> {
  const module = (await import(`kubernetes-models/${apiVersion}/${kind}`)) as Record<string, new (data: object) => { validate(): void }>;
  new module[kind]!(rest).validate();
}

describe('the manifests', () => {
  it.each(resources.map(({ path, manifest }) => [`${path}: ${manifest.kind} ${manifest.metadata.name}`, manifest] as const))(
    '%s fits the published schema',
    async (_, manifest) => {
      await validate(manifest);
    },
  );

  it('have no key that is not in it, anywhere', () => {
    expect(typeErrors(resources.map(({ manifest }) => manifest))).toEqual([]);
    const { spec, ...rest } = deployments[0]!;
    const misspelt = { ...rest, spec: { ...spec, template: { ...spec.template, spec: { ...spec.template.spec, terminationGracePeriod: 65 } } } };
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
      const envs = [...(manifest.configMapGenerator ?? []), ...(manifest.secretGenerator ?? [])].flatMap(({ envs: files }: { envs: string[] }) => files);
      return [...manifest.resources, ...envs].map((name: string) => join(root, path, '..', name));
    });
    expect(listed.filter((path) => !existsSync(path))).toEqual([]);
    const files = (await readdir(root, { recursive: true })).filter((name) => /\.(yaml|env)$/.test(name) && !name.endsWith('kustomization.yaml'));
    expect(files.filter((name) => !listed.includes(join(root, name)))).toEqual([]);
  });

  it('set only configuration that Firn knows, and none that it refuses', async () => {
    for (const overlay of ['base', 'overlays/example']) {
      const environment = { ...(await readEnvironment(join(root, 'base/firn.env'))) };
      if (overlay !== 'base') for (const name of ['firn.env', 'secret.env']) Object.assign(environment, await readEnvironment(join(root, overlay, name)));
      expect(() => readConfig(environment), relative('.', overlay)).not.toThrow();
    }
  });

  it('select the pods they are meant for', () => {
    const labelsOf = (manifest: Manifest): Record<string, string> => manifest.spec.template.metadata.labels;
    const selects = (selector: Record<string, string>, manifest: Manifest): boolean =>
      Object.entries(selector).every(([key, value]) => labelsOf(manifest)[key] === value);
    expect(deployments).toHaveLength(2);
    for (const deployment of deployments) {
      expect(deployments.filter((other) => selects(deployment.spec.selector.matchLabels, other))).toEqual([deployment]);
      const named = (kind: string) => resources.find(({ manifest }) => manifest.kind === kind && manifest.metadata.name === deployment.metadata.name)!.manifest;
      expect(named('HorizontalPodAutoscaler').spec.scaleTargetRef).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', name: deployment.metadata.name });
      expect(selects(named('PodDisruptionBudget').spec.selector.matchLabels, deployment)).toBe(true);
    }
    const service = resources.find(({ manifest }) => manifest.kind === 'Service')!.manifest;
    expect(deployments.filter((deployment) => selects(service.spec.selector, deployment)).map(({ metadata }) => metadata.name)).toEqual(['firn-gateway']);
  });

  it('give a process as long to end as it takes, and scratch files a place where it may write', async () => {
    const { drainMs, unreadyMs, workDirectory } = readConfig(await readEnvironment(join(root, 'base/firn.env')));
    for (const { spec } of deployments) {
      const pod = spec.template.spec;
      expect(pod.terminationGracePeriodSeconds * 1000).toBeGreaterThanOrEqual(drainMs + unreadyMs + 10_000);
      const [container] = pod.containers;
      expect(container.securityContext.readOnlyRootFilesystem).toBe(true);
      expect(container.volumeMounts.some(({ mountPath }: { mountPath: string }) => workDirectory.startsWith(`${mountPath}/`))).toBe(true);
    }
  });
});
