import { z } from '@hono/zod-openapi';
import type { Repository } from '../../catalog/contract/repository-records.ts';
import type { PlacedPackage, Pull, PullFile } from '../../hub/tree/plan-pull.ts';
import { resourcePaths } from '../answer/resource-paths.ts';
import { sha256Schema } from './parameters.ts';
import { pullExample } from './examples/pull-example.ts';

const packageId = z.string().openapi({ example: '00112233445566778899aabbccddeeff' });

const pullFileSchema = z
  .object({
    path: z.string().openapi({ example: 'model.safetensors' }),
    sizeBytes: z.number().int(),
    sha256: sha256Schema.openapi({ description: 'Of the file as it is rebuilt, or as it is downloaded.' }),
    href: z.string().openapi({ description: 'The whole file, not compressed.' }),
    package: z
      .object({ id: packageId, path: z.string() })
      .optional()
      .openapi({
        description:
          'The checkpoint’s package that holds the bytes, one of `holds` below, and the path they have in ' +
          'it. Absent for a file that is stored as it is, and for one whose packages lead to a repository that ' +
          'you may not read, such as a private base model: download it by `href`.',
      }),
  })
  .openapi('PullFile');

const pullPackageSchema = z
  .object({
    id: packageId.openapi({ description: 'The id in the package itself. Its ETag is made from it.' }),
    holds: z.array(packageId).openapi({
      description:
        'Packages of checkpoints in it that the revision needs, oldest first: itself, or those of a merged package.',
    }),
    ancestorId: packageId.optional().openapi({ description: 'The package of a checkpoint that it is a delta to.' }),
    sizeBytes: z.number().int(),
    etag: z.string().openapi({ description: 'Send it as If-Match: a package may have been merged with others since.' }),
    href: z.string().openapi({ description: 'In the repository of the base model for a package of that.' }),
    held: z.boolean().openapi({ description: 'Whether the revision `have` needs all that it holds for this one.' }),
  })
  .openapi('PullPackage');

export const pullSchema = z
  .object({
    revision: z.string().openapi({ description: '40 hex digits; its files never change.' }),
    files: z.array(pullFileSchema),
    packages: z.array(pullPackageSchema).openapi({ description: 'Each after its ancestors.' }),
  })
  .openapi('Pull', { example: pullExample });

/** `held`: ids of the packages that the client has. */
export function renderPull(
  { revision, files, packages }: Pull,
  repository: Repository,
  held: ReadonlySet<string>,
): z.infer<typeof pullSchema> {
  return {
    revision,
    files: files.map((file) => renderFile(file, repository, revision)),
    packages: packages.map((each) => renderPackage(each, held)),
  };
}

function renderFile({ package: holder, ...file }: PullFile, repository: Repository, revision: string) {
  const href = resourcePaths.revisionFile(repository, revision, file.path);
  return { ...file, href, ...(holder !== undefined && { package: { ...holder } }) };
}

function renderPackage({ holds, repository, ...rest }: PlacedPackage, held: ReadonlySet<string>) {
  return {
    ...rest,
    holds: [...holds],
    etag: `"${rest.id}"`,
    // A merged package is found by the ids of its checkpoints.
    href: resourcePaths.package(repository, holds[0]!),
    held: holds.every((id) => held.has(id)),
  };
}
