/** Buttons, and a code block with a button that copies it. */
import { useState } from "react";
import { sanitize } from "@plugboard/contracts";
import type { ButtonHTMLAttributes, ReactNode } from "react";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: "primary" | "plain" | "danger" | "quiet";
  readonly small?: boolean;
}

export function Button({ kind = "plain", small = false, className = "", type = "button", ...rest }: ButtonProps) {
  const classes = ["button", `button-${kind}`, small ? "button-small" : "", className].filter(Boolean).join(" ");
  return <button type={type} className={classes} {...rest} />;
}

/** A button that can't be pressed again while its work is running. */
export function ActionButton({
  onAction,
  children,
  ...rest
}: Omit<ButtonProps, "onClick"> & { readonly onAction: () => Promise<unknown>; readonly children: ReactNode }) {
  const [busy, setBusy] = useState(false);
  const run = () => {
    setBusy(true);
    void onAction().finally(() => setBusy(false));
  };
  return (
    <Button {...rest} disabled={busy || rest.disabled === true} aria-busy={busy} onClick={run}>
      {children}
    </Button>
  );
}

export function CopyButton({ text, ...rest }: Pick<ButtonProps, "aria-label"> & { readonly text: string }) {
  const [copied, setCopied] = useState(false);
  const copy = () => {
    void navigator.clipboard.writeText(text).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), 1500);
    });
  };
  return (
    <Button kind="quiet" small className="copy" onClick={copy} {...rest}>
      {copied ? "Copied" : "Copy"}
    </Button>
  );
}

/** Shows the text with marks for hidden characters, and copies it as it is. */
export function CodeBlock({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div className="code-block" role="group" aria-label={label} tabIndex={0}>
      <pre>{sanitize(text)}</pre>
      <CopyButton text={text} />
    </div>
  );
}
