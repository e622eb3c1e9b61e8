/** The files of one volume, by their paths in it. */
export class VolumeFiles extends Map<string, string> {
  /** The permissions of files that have others than files usually have. */
  readonly modes = new Map<string, number>();
  /** Whether they lie in memory. */
  inMemory = false;
}
