/** What has come about after a while, if the whole is not there by then. Nothing is stopped by that. */
export function withinTime<T>(whole: Promise<T>, ms: number, soFar: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(soFar()), ms);
    void whole.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
