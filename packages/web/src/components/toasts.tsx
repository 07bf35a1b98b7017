/** Short messages about what a change did. */
import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState } from "react";
import type { ReactNode } from "react";
import { messageOf } from "../format/message-of.ts";
import { Button } from "./button.tsx";
import { MessageText } from "./message-text.tsx";

interface Toast {
  readonly id: number;
  readonly tone: "ok" | "danger";
  readonly text: string;
  readonly shownAt: number;
}

interface Toaster {
  readonly show: (text: string, tone?: Toast["tone"]) => void;
  /** Waits for a change, then shows the text `done`, or the error. Returns true if the change was made. */
  readonly report: (change: Promise<unknown>, done?: string) => Promise<boolean>;
}

const ToasterContext = createContext<Toaster | undefined>(undefined);
const SHOWN_MS = 6000;
const NEW_MS = 1000;

export function useToaster(): Toaster {
  return useContext(ToasterContext)!;
}

export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const nextId = useRef(0);
  const remove = useCallback((id: number) => setToasts((old) => old.filter((toast) => toast.id !== id)), []);
  const show = useCallback<Toaster["show"]>(
    (text, tone = "ok") => {
      const id = nextId.current++;
      setToasts((old) => [...old.slice(-3), { id, tone, text, shownAt: performance.now() }]);
      // An error stays until the user dismisses it or goes to another view.
      if (tone === "ok") setTimeout(() => remove(id), SHOWN_MS);
    },
    [remove],
  );
  const report = useCallback<Toaster["report"]>(
    async (change, done) => {
      try {
        await change;
        if (done !== undefined) show(done);
        return true;
      } catch (error) {
        show(messageOf(error), "danger");
        return false;
      }
    },
    [show],
  );
  useEffect(() => {
    // A change may lead to another view itself. Its toast is new, and stays.
    const isNew = ({ tone, shownAt }: Toast) => tone === "ok" && performance.now() - shownAt < NEW_MS;
    const removeOld = () => setToasts((old) => old.filter(isNew));
    window.addEventListener("hashchange", removeOld);
    return () => window.removeEventListener("hashchange", removeOld);
  }, []);
  const toaster = useMemo(() => ({ show, report }), [show, report]);
  return (
    <ToasterContext value={toaster}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {toasts.map(({ id, tone, text }) => (
          <div key={id} className={`toast toast-${tone}`}>
            <span className="grow">
              <MessageText text={text} />
            </span>
            <Button kind="quiet" small aria-label="Dismiss" onClick={() => remove(id)}>
              ✕
            </Button>
          </div>
        ))}
      </div>
    </ToasterContext>
  );
}
