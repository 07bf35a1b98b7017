/** Lets several parties hold back one source: it is read while none of them does. */
export interface PausableSource {
  pause(): void;
  resume(): void;
}

export class SharedPause {
  readonly #source: PausableSource;
  #pauseCount = 0;

  constructor(source: PausableSource) {
    this.#source = source;
  }

  /** Makes the view of the source for one more party. */
  createHandle(): PausableSource {
    let paused = false;
    return {
      pause: () => {
        if (paused) return;
        paused = true;
        if (++this.#pauseCount === 1) this.#source.pause();
      },
      resume: () => {
        if (!paused) return;
        paused = false;
        if (--this.#pauseCount === 0) this.#source.resume();
      },
    };
  }
}
