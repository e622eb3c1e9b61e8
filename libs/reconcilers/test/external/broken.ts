/** What a scenario finds broken on its way, and by which invariant that is so. It ends the history. */
export class Broken extends Error {
  override readonly name: string = 'Broken';
  readonly invariant: string;

  constructor(invariant: string, what: string) {
    super(what);
    this.invariant = invariant;
  }
}

/** A history that does not go on although nothing is in its way any more. */
export class Standstill extends Broken {
  override readonly name = 'Standstill';

  constructor(what: string) {
    super('progress', what);
  }
}
