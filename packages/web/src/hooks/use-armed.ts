/**
 * Returns false for a moment after a question has appeared. Otherwise an App could make the user click at a place, and
 * let the question appear there.
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
