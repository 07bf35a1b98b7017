/** Aborts one HTTP request: the response that is being read, and every wait that uses its signal. */

export interface Abortable {
  abort(): void;
}

export class RequestAborter {
  aborted = false;
  #response: Abortable | undefined;
  #controller: AbortController | undefined;

  /** The signal for waits. Created on first use, because most requests never wait and a signal costs time. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.aborted) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Replaces the response that `abort` ends. */
  attach(response: Abortable): void {
    this.#response = response;
    if (this.aborted) response.abort();
  }

  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    this.#controller?.abort();
    this.#response?.abort();
  }
}
