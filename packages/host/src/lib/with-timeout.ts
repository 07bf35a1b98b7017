/** What has come about after a while, if the whole is not there by then. Nothing is stopped by that. */
export function withTimeout<T>(promise: Promise<T>, ms: number, onTimeout: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(onTimeout()), ms);
    void promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
