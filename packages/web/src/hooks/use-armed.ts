/**
 * Returns false for a moment after a question has appeared, and true from then on. Otherwise an App could let the
 * question appear just where the user is about to click.
 */
import { useEffect, useState } from "react";

const ARMED_AFTER_MS = 600;

export function useArmed(): boolean {
  const [isArmed, setArmed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), ARMED_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return isArmed;
}
