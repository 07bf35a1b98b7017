/** Lets several users pause one source. The source is read only while none of them pauses it. */
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

  /** Returns a handle for one more user. */
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
