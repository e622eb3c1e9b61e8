import type { Case, Json, Session } from '../case.ts';

const core = '/api/v1/namespaces/:ns';
const reviews = '/apis/authentication.k8s.io/v1/tokenreviews';

/** Asks for a token, which is each world's own, and shows the reply without it. */
async function tokenOf(s: Session, body: Json, account = 'robot'): Promise<string> {
  const path = `${core}/serviceaccounts/${account}/token`.replaceAll(':ns', s.namespace);
  const reply = await s.world.send({ method: 'POST', path, body });
  const status = (reply.body as { status?: { token?: string } }).status ?? {};
  const { token = '' } = status;
  if (token !== '') s.hide(token, '<token>');
  s.record(`a token for ${JSON.stringify(body)}`, { status: reply.status, body: reply.body });
  return token;
}

const claimsIn = (token: string): Json =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as Json;

/** What a token says, without its times. */
function recordClaims(s: Session, token: string): void {
  const { exp, iat, nbf, jti: _, ...rest } = claimsIn(token);
  s.record('claims', { ...rest, seconds: Number(exp) - Number(iat), sinceThen: Number(iat) - Number(nbf) });
}

const review = (s: Session, token: string, audiences?: readonly string[]) =>
  s.create(reviews, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token, ...(audiences && { audiences }) },
  });

const bound = (kind: string, name: string, more: Json = {}): Json => ({
  spec: { boundObjectRef: { kind, apiVersion: 'v1', name, ...more } },
});

const begin = async (s: Session): Promise<void> => {
  await s.create(`${core}/serviceaccounts`, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } });
};

/** Tokens of service accounts, and reviews of them. */
export const accountTokenCases: readonly Case[] = [
  {
    name: 'account tokens: one for the server and one for others, reviewed',
    async body(s) {
      await begin(s);
      const own = await tokenOf(s, {});
      recordClaims(s, own);
      await review(s, own);
      await review(s, own, ['others']);
      const others = await tokenOf(s, { spec: { audiences: ['others', 'more'], expirationSeconds: 700 } });
      recordClaims(s, others);
      await review(s, others);
      await review(s, others, ['more', 'none']);
      const changed = `${own.slice(0, -4)}AAAA`;
      s.hide(changed, '<changed token>');
      await review(s, changed);
      await review(s, 'none');
      await review(s, '');
      // A server takes a token that it has just seen for valid without a look, for ten seconds.
      const later = await tokenOf(s, {});
      await s.delete(`${core}/serviceaccounts/robot`);
      await review(s, later);
      await begin(s);
      await review(s, later);
    },
  },
  {
    name: 'account tokens: what they are bound to, and end with',
    async body(s) {
      await begin(s);
      await s.create(`${core}/secrets`, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'mark' } });
      const token = await tokenOf(s, bound('Secret', 'mark'));
      recordClaims(s, token);
      await s.delete(`${core}/secrets/mark`);
      await review(s, token);
      await tokenOf(s, bound('Secret', 'mark'));
      await tokenOf(s, bound('ConfigMap', 'mark'));
      await tokenOf(s, { spec: { boundObjectRef: { kind: 'Job', apiVersion: 'batch/v1', name: 'mark' } } });
      await s.create(`${core}/secrets`, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'mark' } });
      await tokenOf(s, bound('Secret', 'mark', { uid: '11111111-2222-4333-8444-555555555555' }));
    },
  },
  {
    name: 'account tokens: requests that are refused',
    async body(s) {
      await begin(s);
      for (const expirationSeconds of [0, 599, -1, 2 ** 32 + 1]) await tokenOf(s, { spec: { expirationSeconds } });
      await tokenOf(s, { metadata: { name: 'other' } });
      await tokenOf(s, { metadata: { namespace: 'other' } });
      await tokenOf(s, { metadata: { uid: '11111111-2222-4333-8444-555555555555' } });
      await tokenOf(s, {}, 'missing');
    },
  },
];
