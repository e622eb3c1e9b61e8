import type { Pod } from '@ordinal/client';
import { redactedText } from '../task/output.ts';

type ContainerStatus = NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number];

/** How much of each text is shown, in characters. */
const shownLength = 256;

/** Reasons with which a container waits in every start. */
const usualReasons: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing']);

/** The two states between which a container changes while its image can't be pulled: both are shown as the second, so that the text stays the same. */
const pullReasons: ReadonlySet<string> = new Set(['ErrImagePull', 'ImagePullBackOff']);

/** The first line of a text that a container, an image's author, the kubelet or the scheduler has written. Of a long one both ends: the cause of a failed pull stands last. */
function shown(text: string): string {
  const line = redactedText(text).trim().split('\n', 1)[0]?.trim() ?? '';
  if (line.length <= shownLength) return line;
  const half = shownLength / 2;
  // Copied: a part of a text keeps all of it in memory.
  return Buffer.from(`${line.slice(0, half - 1)}…${line.slice(-half)}`).toString();
}

/** What is shown of a text of others, as a quotation: it can't pass for the sentence around it. */
const inQuotes = (text: string): string => `“${text.replace(/[\u201C\u201D]/g, '"')}”`;

const quoted = (text: string): string => inQuotes(shown(text));

/** A name or a reason as it is, and as a quotation where it is not one word. */
const named = (text: string): string => (/^[\w.-]{1,64}$/.test(text) ? text : quoted(text));

function said(text = ''): string {
  const line = shown(text);
  return line === '' ? '' : `: ${inQuotes(line)}`;
}

/** The kubelet puts its words in front of the cause while it waits for the next pull. */
const pullCause = (message = ''): string => message.replace(/^Back-off pulling image "[^"]*"(: ErrImagePull: )?/, '');

/** What keeps one container from running; undefined for one that runs for the first time, or starts as usual. */
function hindrance({ name, image, state, lastState, restartCount }: ContainerStatus): string | undefined {
  const { reason = '', message } = state?.waiting ?? {};
  if (pullReasons.has(reason)) {
    return `container ${named(name)} can’t pull its image ${quoted(image)} (ImagePullBackOff)${said(pullCause(message))}`;
  }
  // Its last end says more than the kubelet's message, which changes with each pause.
  const end = state?.terminated ?? lastState?.terminated;
  if (end) {
    const why = end.reason === undefined || end.reason === '' ? '' : ` (${named(end.reason)})`;
    const loops = reason !== '' || restartCount > 1 ? ' (CrashLoopBackOff)' : '';
    return `container ${named(name)} has ended with exit code ${end.exitCode}${why} and is restarted${loops}${said(end.message)}`;
  }
  return reason === '' || usualReasons.has(reason)
    ? undefined
    : `container ${named(name)} waits: ${named(reason)}${said(message)}`;
}

/** An init container that has completed, or runs, hinders nothing. */
const isInitDone = ({ state }: ContainerStatus): boolean =>
  state?.terminated?.exitCode === 0 || state?.running !== undefined;

/**
 * What keeps a pod from getting ready, in one sentence: the scheduler's words, the reason with which a container waits (`ImagePullBackOff`, `CreateContainerConfigError`) with
 * the kubelet's message, or how a container ended that is restarted over and over (`CrashLoopBackOff`) with its last message. Undefined for a pod that is ready, and for one
 * that starts as usual. Pure.
 *
 * **Guarantees.** What others have written is quoted: the first line of each text, 256 characters at most, without what looks like a secret and without control characters. The text stays the same while the kubelet changes between its states for the same cause: a status that
 * shows it is written once, not with each try.
 */
export function unreadyCause({ status }: Pod): string | undefined {
  const conditions = status?.conditions ?? [];
  if (conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True')) return undefined;
  const scheduled = conditions.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False') {
    return `it is not scheduled (${named(scheduled.reason ?? 'Unknown')})${said(scheduled.message)}`;
  }
  const before = (status?.initContainerStatuses ?? []).filter((container) => !isInitDone(container));
  const waiting = [...before, ...(status?.containerStatuses ?? []).filter(({ ready }) => !ready)];
  return waiting.map(hindrance).find((cause) => cause !== undefined);
}

/**
 * Why a pod is not ready, for where that is final, such as the message of a failed upgrade: `unreadyCause`, or else the condition `Ready` in the kubelet's words. Undefined for a
 * pod that is ready, or whose node has not reported it yet. Pure.
 */
export function unreadyReason(pod: Pod): string | undefined {
  const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready === undefined || ready.status === 'True') return unreadyCause(pod);
  return unreadyCause(pod) ?? `${named(ready.reason ?? 'NotReady')}${said(ready.message)}`;
}
