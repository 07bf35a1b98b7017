import { usePage } from "../hooks/context.tsx";

/** Stands for a list that the host has not sent yet, so that it doesn't look empty. */
export function NotLoaded() {
  const live = usePage(({ link }) => link === "live");
  return <>{live ? "Loading…" : "Not connected to the host"}</>;
}
