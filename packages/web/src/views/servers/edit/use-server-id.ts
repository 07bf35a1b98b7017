/** Holds the id in the form of a server, and checks it. */
import { useState } from "react";

interface ServerId {
  readonly id: string;
  /** The properties of the field of the id. */
  readonly field: { readonly id: string; readonly onId: (id: string) => void; readonly error: string | undefined };
  /** Returns false for an empty or invalid id, and shows that at the field. */
  readonly check: () => boolean;
}

/** Returns the id that the user has typed, or the suggested id if nothing was typed. */
export function useServerId(suggested: string): ServerId {
  const [typed, setTyped] = useState<string>();
  const [checked, setChecked] = useState(false);
  const text = typed ?? suggested;
  const id = text.trim();
  const onId = (next: string) => {
    setTyped(next);
    setChecked(false);
  };
  const error = errorOf(id);
  const check = () => {
    setChecked(true);
    return error === undefined;
  };
  return { id, field: { id: text, onId, error: checked ? error : undefined }, check };
}

function errorOf(id: string): string | undefined {
  if (id === "") return "Give the server an id, such as files.";
  return /^[\w-]{1,64}$/.test(id) ? undefined : "This id has other characters, or more than 64.";
}
