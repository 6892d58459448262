import { createToken } from '../../../access/create-token.ts';
import type { TokenRecord } from '../../../catalog/contract/token-records.ts';
import { FirnError } from '../../../checkpoint/firn-error.ts';
import { formatGrant, parseGrant } from '../../../checkpoint/grant.ts';
import { checkToken } from '../../request/locate.ts';
import { listGrantable, revocable } from '../../routes/grantable-tokens.ts';
import type { PageContext, View } from '../page-context.ts';
import { pagePaths } from '../page-paths.ts';
import { FormToken } from '../parts/form-token.tsx';
import { nextOf } from '../parts/next-of.ts';
import { Pager } from '../parts/pager.tsx';
import { readQuery } from '../parts/read-query.ts';
import { Table } from '../parts/table.tsx';
import { When } from '../parts/when.tsx';
import type { Viewer } from '../viewer.ts';

/** Tokens on one page. */
const shownMax = 50;
/** Longest name of a token, in characters; the API has the same limit. */
const nameLengthMax = 96;
/** Most days until a token made here ends: ten years. */
const daysMax = 3650;
const dayMs = 24 * 3600 * 1000;

/** The tokens that the viewer may make; makes them and revokes them. `grants` in the address fills the form. */
export const tokensView: View = async (ctx) => {
  const { form, gateway, viewer } = ctx;
  checkToken(viewer.principal);
  if (form?.get('action') === 'revoke') {
    const record = await revocable(gateway.catalog, viewer.principal, form.get('id') ?? '');
    if (form.get('confirm') !== record.name)
      throw new FirnError('invalid-request', `Nothing was revoked: type the name of the token, ${record.name}.`);
    await gateway.catalog.tokens.revoke(record.id);
    return { goTo: pagePaths.tokens };
  }
  const made = form === undefined ? undefined : await make(ctx, form);
  const after = readQuery(ctx.c, 'after');
  const wanted = readQuery(ctx.c, 'grants');
  const page = { limit: shownMax + 1, ...(after !== undefined && { after }) };
  const { items, next } = nextOf(
    await listGrantable(gateway.catalog, viewer.principal, page),
    shownMax,
    ({ id }) => id,
  );
  return {
    title: 'Tokens',
    ...(made !== undefined && { isSecret: true as const, status: 201 as const }),
    content: (
      <>
        <h1>Tokens</h1>
        {made !== undefined && (
          <>
            <p role="status">The new token. It is shown now and never again:</p>
            <code class="secret">{made}</code>
          </>
        )}
        <MakeForm viewer={viewer} grants={wanted} />
        {items.length === 0 ? <p>There is none yet.</p> : <Tokens tokens={items} viewer={viewer} />}
        <Pager path={pagePaths.tokens} isFirst={after === undefined} next={next} />
      </>
    ),
  };
};

async function make({ c, gateway, viewer }: PageContext, form: ReadonlyMap<string, string>): Promise<string> {
  const name = form.get('name')?.trim() ?? '';
  if (name === '' || name.length > nameLengthMax || /[\u0000-\u001f\u007f]/.test(name))
    throw new FirnError('invalid-request', `The name of a token has 1 to ${nameLengthMax} characters.`);
  const days = Number(form.get('days') ?? '');
  if (!Number.isInteger(days) || days < 0 || days > daysMax)
    throw new FirnError('invalid-request', `A token ends after 1 to ${daysMax} days, or with 0 never.`);
  const grants = (form.get('grants') ?? '').split(/[\s,]+/).filter((text) => text !== '');
  if (grants.length === 0)
    throw new FirnError('invalid-request', 'A token has at least one grant, such as read:me/gpt.');
  const { text, record } = await createToken(gateway.catalog, viewer.principal, {
    name,
    grants: grants.map(parseGrant),
    ...(days > 0 && { expiresAt: new Date((await gateway.catalog.now()).getTime() + days * dayMs) }),
  });
  c.set('written', { tokenId: record.id, tokenName: name, grants });
  return text;
}

function MakeForm({ viewer, grants }: { readonly viewer: Viewer; readonly grants: string | undefined }) {
  return (
    <form class="row" method="post" action={pagePaths.tokens}>
      <FormToken viewer={viewer} />
      <input type="hidden" name="action" value="make" />
      <div>
        <label for="name">Name, for people</label>
        <input id="name" type="text" name="name" required maxlength={nameLengthMax} />
      </div>
      <div>
        <label for="grants">Grants: read, write or admin, :namespace, /repository</label>
        <input
          id="grants"
          type="text"
          name="grants"
          value={grants}
          required
          placeholder="read:me/gpt"
          maxlength={1000}
        />
      </div>
      <div>
        <label for="days">Days until it ends; 0: never</label>
        <input id="days" type="number" name="days" value="90" min={0} max={daysMax} required />
      </div>
      <button class="main" type="submit">
        Make a token
      </button>
    </form>
  );
}

function Tokens({ tokens, viewer }: { readonly tokens: readonly TokenRecord[]; readonly viewer: Viewer }) {
  return (
    <Table
      caption="Tokens"
      columns={[
        { title: 'Name' },
        { title: 'Id' },
        { title: 'Grants' },
        { title: 'Made (UTC)' },
        { title: 'Ends (UTC)' },
        { title: 'Revoke' },
      ]}
      rows={tokens.map(({ id, name, grants, createdAt, expiresAt, revokedAt }) => [
        name,
        <span class="hash">{id}</span>,
        grants.map(formatGrant).join(', '),
        <When at={createdAt} />,
        expiresAt === undefined ? 'never' : <When at={expiresAt} />,
        revokedAt === undefined ? (
          <form class="actions" method="post" action={pagePaths.tokens}>
            <FormToken viewer={viewer} />
            <input type="hidden" name="action" value="revoke" />
            <input type="hidden" name="id" value={id} />
            <input
              type="text"
              name="confirm"
              aria-label={`Type ${name} to revoke it`}
              placeholder={name}
              required
            />{' '}
            <button class="danger" type="submit">
              Revoke
            </button>
          </form>
        ) : (
          <>
            revoked <When at={revokedAt} />
          </>
        ),
      ])}
    />
  );
}
