import type { Json, Session } from '../case.ts';

/** Asks until the reply is as it should be, without recording that; after half a minute the case goes on and shows what there is. */
export async function until(s: Session, path: string, is: (status: number, body: Json) => boolean): Promise<void> {
  for (let left = 300; left > 0; left -= 1) {
    const reply = await s.world.send({ method: 'GET', path: path.replaceAll(':ns', s.namespace) });
    if (is(reply.status, reply.body as Json)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
