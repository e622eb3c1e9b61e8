import { expect, it } from 'vitest';
import { unforeseen } from '../status.ts';
import { Delivery } from './delivery.ts';

/** What a watch hears when its only event fails late. */
async function heardOf(error: Error): Promise<readonly string[]> {
  const heard: string[] = [];
  await new Promise<void>((resolve) => {
    const delivery = new Delivery({
      event: ({ type, object }) => void heard.push(`${type} ${String(object['code'])} ${String(object['message'])}`),
      failed: () => {
        heard.push('end');
        resolve();
      },
    });
    delivery.add(() => Promise.reject(error));
  });
  return heard;
}

it('an error that comes late is reported before the watch ends', async () => {
  expect(await heardOf(new TypeError('no such field'))).toEqual(['ERROR 500 no such field', 'end']);
});

it('a watch whose next object is refused by its conversion only ends', async () => {
  expect(await heardOf(unforeseen('conversion webhook failed'))).toEqual(['end']);
});
