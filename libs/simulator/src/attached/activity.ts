/** Whether anything is under way between a world and its control plane, and how long ago the last thing was. */
export class Activity {
  private underWay = 0;
  /** When the last thing was, by the machine's clock. No two are at the same time. */
  last = performance.now();

  /** A request begins. Returns what to call when it has ended. */
  begin(): () => void {
    this.underWay += 1;
    this.note();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.underWay -= 1;
      this.note();
    };
  }

  /** When an object was last changed, likewise. */
  lastChange = this.last;

  /** An object was changed just now. */
  change(): void {
    this.note();
    this.lastChange = this.last;
  }

  /** Something happened just now. */
  note(): void {
    this.last = Math.max(performance.now(), this.last + 0.001);
  }

  /** For how many milliseconds of the machine's clock all has been quiet; 0 while a request is under way. */
  get quietMs(): number {
    return this.underWay > 0 ? 0 : performance.now() - this.last;
  }
}
