/**
 * Keeps an App from taking the keyboard while the user types into the page. A frame can focus itself at any time. So
 * the frame is inert while a text field of the page has the focus, until the user moves the pointer over the frame or
 * presses Tab. If a browser gives an inert frame the focus anyway, the text field gets the focus back.
 */
import { useEffect } from "react";
import type { RefObject } from "react";

/** How often an inert App takes the focus before it is stopped. Once is no attack: an App may focus its first field. */
const MAX_THEFTS = 3;

/** Calls `onStolen` if the App takes the keyboard again and again. */
export function useKeyboardGuard(ref: RefObject<HTMLIFrameElement | null>, onStolen: () => void): void {
  useEffect(() => guardKeyboard(ref, onStolen), [ref, onStolen]);
}

/** Returns the function that ends the guard. */
export function guardKeyboard(ref: RefObject<HTMLIFrameElement | null>, onStolen: () => void): () => void {
  let field: Element | null = null;
  let thefts = 0;
  const update = (isWanted: boolean) => {
    if (isTextField(document.activeElement)) field = document.activeElement;
    if (ref.current) ref.current.inert = !isWanted && isTextField(document.activeElement);
  };
  const onFocus = () => update(false);
  const onKey = ({ key }: KeyboardEvent) => update(key === "Tab");
  const onPointer = (event: PointerEvent) => {
    // A browser also reports a pointer that rests while the page moves below it.
    const isMoved = event.type === "pointerdown" || event.movementX !== 0 || event.movementY !== 0;
    if (isMoved) update(ref.current !== null && isInside(event, ref.current.getBoundingClientRect()));
  };
  const onBlur = () => {
    if (!ref.current?.inert || document.activeElement !== ref.current) return;
    // While the event is handled, the browser still moves the focus.
    setTimeout(() => {
      window.focus();
      ref.current?.blur();
      if (isTextField(field)) field.focus();
    });
    if (++thefts >= MAX_THEFTS) onStolen();
  };
  const ended = new AbortController();
  const options = { capture: true, signal: ended.signal };
  document.addEventListener("focusin", onFocus, options);
  document.addEventListener("keydown", onKey, options);
  document.addEventListener("pointermove", onPointer, options);
  document.addEventListener("pointerdown", onPointer, options);
  window.addEventListener("blur", onBlur, { signal: ended.signal });
  onFocus();
  return () => ended.abort();
}

function isTextField(element: Element | null): element is HTMLTextAreaElement | HTMLInputElement {
  return element instanceof HTMLTextAreaElement || element instanceof HTMLInputElement;
}

function isInside({ clientX, clientY }: PointerEvent, { left, right, top, bottom }: DOMRect): boolean {
  return clientX >= left && clientX <= right && clientY >= top && clientY <= bottom;
}
