import { formatTarget } from '../../../clients/typescript/src/index.ts';
import { requireSomebodyToAsk } from '../hub/manage/confirm-name.ts';
import { deleteNamed, type DeleteCommand } from '../hub/manage/delete-named.ts';
import { openSession, repositoryTarget } from '../hub/session.ts';

const resource = '/v1/repositories/{namespace}/{name}/eval-sets/{evalSet}';

/** `firn eval-set delete REPOSITORY NAME`. */
export async function deleteEvalSet(text: string, evalSet: string, options: DeleteCommand): Promise<void> {
  const target = repositoryTarget(text);
  const name = `${formatTarget(target)} ${evalSet}`;
  requireSomebodyToAsk(name, options.yes === true);
  const session = openSession(options);
  const path = { ...target, evalSet };
  await deleteNamed(session, {
    name,
    isSure: options.yes === true,
    read: () => session.hub.api.GET(resource, { params: { path } }),
    remove: (header) => session.hub.api.DELETE(resource, { params: { path, header } }),
    afterwards: 'what it took is free after the grace (firn usage)',
  });
}
