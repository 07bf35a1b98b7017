/**
 * Marks the required fields of a form that are empty when it is sent, and moves to the first field that is marked. A
 * field with an invalid value marks itself.
 */
import { useLayoutEffect, useRef, useState } from "react";
import type { RefObject } from "react";

export const MISSING_TEXT = "This field is required.";

interface MissingFields {
  readonly form: RefObject<HTMLFormElement | null>;
  /** The fields to mark: none before the first attempt to send the form. */
  readonly marked: readonly string[];
  /** Returns whether the form can be sent. */
  readonly check: () => boolean;
}

export function useMissingFields(missing: readonly string[]): MissingFields {
  const form = useRef<HTMLFormElement>(null);
  const [attempts, setAttempts] = useState(0);
  // Runs after the fields are marked.
  useLayoutEffect(() => {
    if (attempts > 0) focusFirstInvalid(form.current);
  }, [attempts]);
  const check = () => {
    const isValid = missing.length === 0 && !form.current?.querySelector(INVALID);
    if (!isValid) setAttempts((old) => old + 1);
    return isValid;
  };
  return { form, marked: attempts > 0 ? missing : [], check };
}

/** A group of controls is marked by `data-invalid`. */
const INVALID = '[aria-invalid="true"], [data-invalid]';

function focusFirstInvalid(form: HTMLFormElement | null): void {
  const invalid = form?.querySelector<HTMLElement>(INVALID);
  const control = invalid?.matches("[data-invalid]")
    ? invalid.querySelector<HTMLElement>("input, select, textarea, button")
    : invalid;
  control?.focus({ preventScroll: true });
  (invalid?.closest(".field") ?? invalid)?.scrollIntoView({ block: "nearest" });
}
