/** The end of what a server has written to stderr, read again while it is shown. */
import { useEffect, useRef } from "react";
import { sanitize } from "@plugboard/contracts";
import { Card } from "../../components/layout.tsx";

const RELOAD_MS = 2000;

export function ServerLog({ stderr, onReload }: { stderr: string | undefined; onReload: () => void }) {
  const box = useRef<HTMLPreElement>(null);
  const followsEnd = useRef(true);
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && onReload(), RELOAD_MS);
    return () => clearInterval(timer);
  }, [onReload]);
  useEffect(() => {
    if (box.current && followsEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [stderr]);
  const onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = box.current!;
    followsEnd.current = scrollTop + clientHeight >= scrollHeight - 4;
  };
  return (
    <Card title="End of stderr" actions={<span className="small muted">live</span>}>
      {stderr === undefined || stderr === "" ? (
        <p className="muted">The server has written nothing to stderr.</p>
      ) : (
        <pre ref={box} className="code-block log" tabIndex={0} onScroll={onScroll}>
          {sanitize(stderr)}
        </pre>
      )}
    </Card>
  );
}
