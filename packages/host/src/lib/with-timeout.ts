/** Resolves with `onTimeout()` if the promise does not settle in time. The work behind the promise goes on. */
export function withTimeout<T>(promise: Promise<T>, ms: number, onTimeout: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(onTimeout()), ms);
    void promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
