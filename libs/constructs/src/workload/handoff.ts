import type { LifecycleHandler, PodTemplateSpec } from 'kubernetes-types/core/v1.js';
import { milliseconds } from './duration.ts';
import { overlayPodTemplate } from './overlay.ts';

/** `spec.upgrade.handoff`, as far as a hook can be made of it. */
interface Handoff {
  readonly exec?: { readonly command: readonly string[]; readonly container?: string };
  readonly http?: { readonly path: string; readonly port?: number; readonly scheme?: string; readonly method?: string };
  readonly timeout?: string;
}

/** A hand-off as a hook of one container. */
export interface HandoffHook {
  readonly container: string;
  readonly handler: LifecycleHandler;
  /** How long it may take. */
  readonly seconds: number;
}

/**
 * The hand-off as a preStop hook, for the deletes that the operator does not make itself: a drain or a `kubectl delete pod` while the webhook is
 * down. Undefined where there is none, or it can't be said as a hook: hooks know no POST.
 */
export function handoffHook(
  handoff: Handoff | undefined,
  { container, port: ownPort }: { readonly container: string; readonly port: number | undefined },
): HandoffHook | undefined {
  const { exec, http, timeout = '30s' } = handoff ?? {};
  const seconds = Math.ceil(milliseconds(timeout) / 1000);
  if (exec)
    return { container: exec.container ?? container, handler: { exec: { command: [...exec.command] } }, seconds };
  if (!http || http.method === 'POST') return undefined;
  const port = http.port ?? ownPort;
  if (port === undefined) return undefined;
  return { container, handler: { httpGet: { path: http.path, port, scheme: http.scheme ?? 'HTTP' } }, seconds };
}

/** The template with the hook on a container beside the generated one; the same where the hook is on that one, or there is none. */
export function withSidecarHook(
  template: PodTemplateSpec,
  hook: HandoffHook | undefined,
  own: string,
): PodTemplateSpec {
  if (!hook || hook.container === own) return template;
  const { container: name, handler } = hook;
  return overlayPodTemplate(template, { spec: { containers: [{ name, lifecycle: { preStop: handler } }] } });
}
