/**
 * Signs the page in with the one-time code of its link. The code is removed from the URL before anything else happens,
 * and the key that the host returns is stored for this origin only.
 */
import { PAGE_KEY_HEADER, PAGE_SESSION_PATH } from "@plugboard/contracts";

const STORAGE_KEY = "plugboard.key";

interface SignIn {
  /** Undefined if this browser is not signed in. */
  readonly key: string | undefined;
  /** True if the code of the link is not valid, for example because it was used. */
  readonly isLinkRefused: boolean;
}

export async function signIn(): Promise<SignIn> {
  const code = takeCode();
  if (code === undefined) return { key: storedKey(), isLinkRefused: false };
  const response = await fetch(PAGE_SESSION_PATH, {
    method: "POST",
    credentials: "same-origin",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
  // A link that was opened twice does not sign out the browser that it has signed in.
  if (!response.ok) return { key: storedKey(), isLinkRefused: true };
  const { key } = (await response.json()) as { key: string };
  localStorage.setItem(STORAGE_KEY, key);
  return { key, isLinkRefused: false };
}

export async function signOut(): Promise<void> {
  const key = storedKey();
  forgetKey();
  if (key === undefined) return;
  await fetch(PAGE_SESSION_PATH, { method: "DELETE", credentials: "same-origin", headers: { [PAGE_KEY_HEADER]: key } });
}

/** Called when the host does not accept the key any more. */
export function forgetKey(): void {
  localStorage.removeItem(STORAGE_KEY);
}

export function hasCode(): boolean {
  return location.hash.startsWith("#code=");
}

function storedKey(): string | undefined {
  return localStorage.getItem(STORAGE_KEY) ?? undefined;
}

function takeCode(): string | undefined {
  if (!hasCode()) return undefined;
  const code = location.hash.slice("#code=".length);
  history.replaceState(null, "", location.pathname);
  return code;
}
