import type { Timer } from '@ordinal/client';
import type { Container, Probe } from 'kubernetes-types/core/v1.js';
import type { Scheduler } from '../scheduler/scheduler.ts';
import { whenSettled } from './eventually.ts';
import { normalReply } from './network.ts';
import type { Eventually } from './program.ts';
import type { SimulatedProcess } from './process.ts';

/** A handler of a probe or a lifecycle hook. */
export type ProbeHandler = Pick<Probe, 'exec' | 'httpGet' | 'tcpSocket'> & {
  readonly grpc?: { readonly port: number };
};

/** Asks a process once. The answer is whether it succeeded. */
export function askProcess(
  handler: ProbeHandler,
  process: SimulatedProcess,
  container: Container,
): Eventually<boolean> {
  if (handler.exec !== undefined) {
    const exit = process.exec(handler.exec.command ?? [], '');
    return exit instanceof Promise ? exit.then(({ exitCode }) => exitCode === 0) : exit.exitCode === 0;
  }
  if (handler.httpGet !== undefined) {
    const { scheme = 'HTTP', path = '/', port, host, httpHeaders = [] } = handler.httpGet;
    const number = portOf(port, container);
    const url = new URL(path, `${scheme.toLowerCase()}://${host ?? process.view.podIp}:${number ?? 80}`);
    const headers = Object.fromEntries(httpHeaders.map(({ name, value }) => [name.toLowerCase(), value]));
    if (host !== undefined && host !== process.view.podIp)
      return process.view.fetch(url, { headers }).then(({ status }) => status >= 200 && status < 400);
    const asked = number === undefined ? process : process.at(number);
    const reply = asked.request({ method: 'GET', url, headers, body: '' });
    const isSuccess = (status: number): boolean => status >= 200 && status < 400;
    return reply instanceof Promise
      ? reply.then((settled) => isSuccess(normalReply(settled).status))
      : isSuccess(normalReply(reply).status);
  }
  const port = handler.grpc?.port ?? portOf(handler.tcpSocket?.port, container);
  return port === undefined ? process.isWell : process.at(port).isWellAt(port);
}

/** The number of a port that a probe names. */
const portOf = (port: number | string | undefined, { ports = [] }: Container): number | undefined =>
  typeof port === 'number' ? port : ports.find(({ name }) => name === port)?.containerPort;

/** How a prober is set up. */
export interface ProberOptions {
  readonly probe: Probe;
  readonly container: Container;
  readonly process: SimulatedProcess;
  readonly scheduler: Scheduler;
  /** Called whenever a threshold is passed that was not passed before. */
  readonly changed: (succeeds: boolean) => void;
}

/** Probes a process again and again, and shows when its thresholds are passed. */
export class Prober {
  private readonly options: ProberOptions;
  private timer: Timer | undefined;
  private inARow = 0;
  private last: boolean | undefined;
  private reported: boolean | undefined;
  private stopped = false;

  constructor(options: ProberOptions) {
    this.options = options;
    this.schedule((options.probe.initialDelaySeconds ?? 0) * 1000);
  }

  /** Probes no more. */
  stop(): void {
    this.stopped = true;
    this.timer?.cancel();
  }

  private schedule(delayMs: number): void {
    this.timer = this.options.scheduler.schedule(delayMs, 'probe', () => this.probe());
  }

  private probe(): void {
    const { probe, process, container, scheduler } = this.options;
    let answered = false;
    const answer = (succeeds: boolean): void => {
      if (answered || this.stopped) return;
      answered = true;
      timeout?.cancel();
      this.count(succeeds);
      if (!this.isOver()) this.schedule((probe.periodSeconds ?? 10) * 1000);
    };
    let timeout: Timer | undefined;
    whenSettled(
      () => {
        const asked = askProcess(probe, process, container);
        if (asked instanceof Promise)
          timeout = scheduler.schedule((probe.timeoutSeconds ?? 1) * 1000, 'probe timeout', () => answer(false));
        return asked;
      },
      answer,
      () => answer(false),
    );
  }

  private isOver(): boolean {
    return this.stopped;
  }

  private count(succeeds: boolean): void {
    const { probe, changed } = this.options;
    this.inARow = this.last === succeeds ? this.inARow + 1 : 1;
    this.last = succeeds;
    const threshold = succeeds ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3);
    if (this.inARow < threshold || this.reported === succeeds) return;
    this.reported = succeeds;
    changed(succeeds);
  }
}
