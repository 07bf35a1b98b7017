import type { ClientPlan } from "@plugboard/contracts";
import { useToaster } from "../../components/toasts.tsx";
import { useClient } from "../../hooks/context.tsx";

/** Returns a function that writes the planned change of a client's file, reports it, and calls `onWritten`. */
export function useClientChange(
  onWritten: (plan: ClientPlan) => void,
): (plan: ClientPlan, message: string) => Promise<void> {
  const client = useClient();
  const { report } = useToaster();
  return async (plan, message) => {
    if (await report(client.connected.operations.changeClient(plan.plan), message)) onWritten(plan);
  };
}
