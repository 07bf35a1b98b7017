/** Why a call failed, was denied or was cancelled, and where the user can do something about it. */
import { sanitize, sanitizeLine, stoppedWord } from "@plugboard/contracts";
import type { CallFailure, JsonObject } from "@plugboard/contracts";
import { Button, CodeBlock } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Badge, FactList, Notice } from "../../components/layout.tsx";
import { MessageText } from "../../components/message-text.tsx";
import { callerText } from "../../format/caller.ts";
import { formatKnownMs, formatTime } from "../../format/format.ts";
import { hrefOf } from "../../hooks/route.ts";
import { useClient } from "../../hooks/context.tsx";
import type { ShownCall } from "../../store/page-state.ts";
import { useLoad } from "../../hooks/use-load.ts";
import { callResult } from "./call-result.ts";
import { failureHelp } from "./failure-help.ts";

export function CallFailureDialog({ call, onClose }: { call: ShownCall; onClose: () => void }) {
  const { server, tool, code, at, durationMs, caller, client: clientName } = call;
  const client = useClient();
  const failure = useLoad(({ operations }) => operations.callFailure(call.call), [call.call]);
  const { place, text: helpText } = failureHelp(code);
  const { label, tone } = callResult(call);
  const link = (text: string, isMain: boolean, ...parts: readonly string[]) => (
    <a className={isMain ? "button button-primary" : "button"} href={hrefOf(...parts)} onClick={onClose}>
      {text}
    </a>
  );
  const tryAgain = (args: JsonObject) => {
    client.toolTrials.prepare(server, tool, args);
    onClose();
    location.hash = hrefOf("tools", server, tool);
  };
  const args = failure.data?.arguments;
  return (
    <Dialog
      title={`Why ${sanitizeLine(server)}:${sanitizeLine(tool)} ${endText(call)}`}
      onClose={onClose}
      actions={
        <>
          {link("Open the server", place === "server", "servers", server)}
          {link("Show its log", place === "log", "servers", server, "log")}
          {args ? (
            <Button kind={place === "tool" ? "primary" : "plain"} onClick={() => tryAgain(args)}>
              Try again in Tools
            </Button>
          ) : (
            link("Open the tool", place === "tool", "tools", server, tool)
          )}
        </>
      }
    >
      {failure.loading ? (
        <p className="muted">Asking the host…</p>
      ) : failure.data?.reason === undefined ? (
        <Notice tone="warn">
          {failure.error ??
            "The host no longer has the message. It keeps those of the latest failed calls until it restarts."}
        </Notice>
      ) : (
        <Notice tone={stoppedWord(call.code) ? "warn" : "danger"}>
          <MessageText text={failure.data.reason} />
        </Notice>
      )}
      <p>{helpText}</p>
      {failure.data && <SentArguments failure={failure.data} />}
      <FactList
        facts={[
          [
            "Result",
            <Badge key="code" tone={tone}>
              {label}
            </Badge>,
          ],
          ["Caller", callerText({ kind: caller, client: clientName })],
          ["Time", formatTime(at, Date.now())],
          ...(durationMs === undefined ? [] : [["Duration", formatKnownMs(durationMs)] as const]),
        ]}
      />
    </Dialog>
  );
}

function SentArguments({ failure: { arguments: args, cutArguments, masked = false } }: { failure: CallFailure }) {
  const json = args ? JSON.stringify(args, null, 2) : cutArguments;
  if (json === undefined) return null;
  return (
    <>
      <h3>Arguments</h3>
      <CodeBlock label="Arguments" text={sanitize(json)} />
      {cutArguments !== undefined && (
        <p className="small muted">They are cut: the host keeps only the beginning of long arguments.</p>
      )}
      {masked && (
        <p className="small muted">
          Values that may be secrets are shown as <code>***</code>. Fill them in before you try the call again.
        </p>
      )}
    </>
  );
}

/** Completes the sentence "Why files:write …". */
export function endText(call: ShownCall): string {
  const stopped = stoppedWord(call.code);
  return stopped ? `was ${stopped}` : "failed";
}
