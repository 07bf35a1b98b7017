/** Lets several parties hold back one source: it is read while none of them does. */
export interface Source {
  pause(): void;
  resume(): void;
}

export class ReadHolds {
  readonly #source: Source;
  #holds = 0;

  constructor(source: Source) {
    this.#source = source;
  }

  /** Makes the view of the source for one more party. */
  party(): Source {
    let holds = false;
    return {
      pause: () => {
        if (holds) return;
        holds = true;
        if (++this.#holds === 1) this.#source.pause();
      },
      resume: () => {
        if (!holds) return;
        holds = false;
        if (--this.#holds === 0) this.#source.resume();
      },
    };
  }
}
