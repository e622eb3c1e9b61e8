import { TransportError } from '../error.ts';

/**
 * More than any object can be, in bytes: etcd takes requests of 1.5 MiB, and the JSON of what is stored is no more than a few times that. What is longer comes
 * from no API server, and is not held until its end.
 */
const maxObjectBytes = 16 * 1024 * 1024;

/** Throws a `TransportError` (`MalformedReply`) for what is longer than any object. */
export function refuseOversize(bytes: number): void {
  if (bytes > maxObjectBytes)
    throw new TransportError(
      'MalformedReply',
      `an object of more than ${maxObjectBytes} bytes: no API server keeps such`,
    );
}
