/** Loads values of the host for components, and loads them again when something has changed. */
import { useCallback, useEffect, useRef, useState } from "react";
import type { Connected } from "../connection/page-client.ts";
import { REST_FACTOR } from "../connection/paced-task.ts";
import { messageOf } from "../format/message-of.ts";
import { useClient, usePage } from "./context.tsx";

export interface Loaded<T> {
  readonly data: T | undefined;
  readonly error: string | undefined;
  readonly loading: boolean;
  readonly reload: () => void;
}

/**
 * Loads a value, and reloads it when `deps` change. Returns the previous value while it reloads. Also reloads it after
 * a change of `revision`, but waits for the end of the current load and some time longer: a catalog of many servers
 * changes many times at start.
 */
export function useLoad<T>(
  load: (connected: Connected) => Promise<T>,
  deps: readonly unknown[],
  revision = 0,
): Loaded<T> {
  const client = useClient();
  const live = usePage(({ link }) => link === "live");
  const [result, setResult] = useState<{ data?: T; error?: string }>({});
  const [loading, setLoading] = useState(true);
  const [round, setRound] = useState(0);
  const latest = useRef(0);
  const paced = usePaced(revision, loading);
  useEffect(() => {
    if (!live) return;
    const request = ++latest.current;
    setLoading(true);
    // Calls `load` inside a promise, so that an error of `connected` is handled, too.
    void Promise.resolve()
      .then(() => load(client.connected))
      .then(
        (data) => request === latest.current && setResult({ data }),
        (error: unknown) => request === latest.current && setResult((old) => ({ ...old, error: messageOf(error) })),
      )
      .finally(() => request === latest.current && setLoading(false));
    // `load` is a new function each time; `deps` say when it differs.
  }, [live, round, paced, ...deps]);
  const reload = useCallback(() => setRound((old) => old + 1), []);
  return { data: result.data, error: result.error, loading, reload };
}

/**
 * Returns the revision with a delay, so that many changes cause little work. Waits while `busy` is true, and then
 * `REST_FACTOR` times as long as it was true.
 */
function usePaced(revision: number, busy: boolean): number {
  const [paced, setPaced] = useState(revision);
  const rest = useRef({ since: 0, until: 0 });
  useEffect(() => {
    if (busy) rest.current.since = performance.now();
    else if (rest.current.since > 0) {
      const now = performance.now();
      rest.current = { since: 0, until: now + (now - rest.current.since) * REST_FACTOR };
    }
  }, [busy]);
  useEffect(() => {
    if (busy || paced === revision) return;
    const timer = setTimeout(() => setPaced(revision), Math.max(0, rest.current.until - performance.now()));
    return () => clearTimeout(timer);
  }, [busy, paced, revision]);
  return paced;
}
