import type { Surroundings } from '../cluster/surroundings.ts';
import { backup } from '../verbs/backup.ts';
import { commandFor } from '../verbs/command.ts';
import type { Intent, Refusal, Seen } from '../verbs/intent.ts';
import { seenBy } from '../verbs/intent.ts';
import { abort, override, promote } from '../verbs/upgrade.ts';
import { pause, resume, retry } from '../verbs/work.ts';
import type { Action } from './wire.ts';

interface Offer {
  /** The verb as it is typed, with its flags behind it. */
  readonly verb: string;
  readonly decide: (seen: Seen) => Intent | Refusal;
}

/** What the page offers, what helps an upgrade first. */
const offers: readonly Offer[] = [
  { verb: 'promote', decide: promote },
  { verb: 'override', decide: override },
  { verb: 'retry', decide: retry },
  { verb: 'resume', decide: resume },
  { verb: 'backup', decide: backup },
  { verb: 'pause --upgrade', decide: (seen) => pause({ ...seen, options: { upgrade: true } }) },
  { verb: 'pause', decide: pause },
  { verb: 'abort', decide: abort },
];

/** What each verb would do now; those that would do nothing are left out. Pure. */
export function actionsFor(around: Surroundings, now: number): readonly Action[] {
  const seen = seenBy(around, {}, now);
  return offers.flatMap(({ verb, decide }) => {
    const intent = decide(seen);
    if ('refuses' in intent) return [];
    const [name = '', ...flags] = verb.split(' ');
    return [{ verb, does: intent.does, command: [commandFor(name, around.resource), ...flags].join(' ') }];
  });
}

/** What a verb of the page would write. Pure. */
export function intentOf(verb: string, around: Surroundings, now: number): Intent | Refusal {
  const offer = offers.find((each) => each.verb === verb);
  return offer ? offer.decide(seenBy(around, {}, now)) : { refuses: `there is no verb ${verb} here` };
}
