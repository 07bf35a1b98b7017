import { useId, useLayoutEffect, useRef } from "react";
import type { ReactNode } from "react";
import { ActionButton, Button } from "./button.tsx";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** True if only a button closes it, because its content is not shown again. */
  readonly ignoresEscape?: boolean;
  /** The buttons at the end. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/**
 * A modal dialog. The browser keeps the focus inside, and Escape closes the dialog. An element with
 * `data-initial-focus` gets the focus first. When the dialog closes, the focus goes back to where it was.
 */
export function Dialog({ title, onClose, ignoresEscape = false, actions, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // The cleanup of a layout effect runs before the element is removed, so that the focus is not lost.
  useLayoutEffect(() => {
    const dialog = ref.current!;
    const opener = document.activeElement;
    dialog.showModal();
    dialog.querySelector<HTMLElement>("[data-initial-focus]")?.focus();
    return () => {
      dialog.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      className="dialog"
      aria-labelledby={titleId}
      onKeyDown={(event) => {
        if (ignoresEscape && event.key === "Escape") event.preventDefault();
      }}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div className="dialog-head">
        <h2 id={titleId} className="grow">
          {title}
        </h2>
        <Button kind="quiet" small onClick={onClose}>
          Close
        </Button>
      </div>
      <div className="dialog-body">{children}</div>
      {actions !== undefined && <div className="dialog-foot">{actions}</div>}
    </dialog>
  );
}

interface ActionDialogProps extends Omit<DialogProps, "actions" | "ignoresEscape"> {
  readonly action: ReactNode;
  readonly kind?: "primary" | "danger";
  readonly disabled?: boolean;
  readonly onAction: () => Promise<unknown>;
}

/** A dialog that asks for one action. `action` is the label of its button. */
export function ActionDialog({ action, kind = "primary", disabled = false, onAction, ...dialog }: ActionDialogProps) {
  const actions = (
    <>
      <Button onClick={dialog.onClose}>Cancel</Button>
      <ActionButton kind={kind} disabled={disabled} onAction={onAction}>
        {action}
      </ActionButton>
    </>
  );
  return <Dialog {...dialog} actions={actions} />;
}
