/** Adds or changes a server in two steps: a form, then the exact command to confirm, test and save. */
import { useEffect, useState } from "react";
import type { ReactNode } from "react";
import type { ServerPlan, ServerTest } from "@plugboard/contracts";
import { ActionButton, Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Notice } from "../../../components/layout.tsx";
import { useToaster } from "../../../components/toasts.tsx";
import { messageOf } from "../../../format/message-of.ts";
import { hrefOf } from "../../../shell/route.ts";
import { useClient } from "../../../store/context.tsx";
import { PlanReview, TestResult } from "./plan-review.tsx";

interface PlanDialogProps {
  readonly title: string;
  /** Makes the plan from the form. Throws an error whose message the user can understand. */
  readonly makePlan: () => Promise<ServerPlan>;
  /** Skips the form. The step back from the command leads to it. */
  readonly confirmAtOnce?: boolean;
  readonly onClose: () => void;
  /** Goes back to the step before the form. */
  readonly onBack?: () => void;
  /** The form. */
  readonly children: ReactNode;
}

export function PlanDialog({ title, makePlan, confirmAtOnce = false, onClose, onBack, children }: PlanDialogProps) {
  const client = useClient();
  const { show } = useToaster();
  const [plan, setPlan] = useState<ServerPlan>();
  const [test, setTest] = useState<ServerTest>();
  const [error, setError] = useState<string>();
  const { management } = client.connected;
  const attempt = async (work: () => Promise<void>) => {
    setError(undefined);
    try {
      await work();
    } catch (thrown) {
      setError(messageOf(thrown));
    }
  };
  const review = () =>
    attempt(async () => {
      setTest(undefined);
      setPlan(await makePlan());
    });
  const [planningAtOnce, setPlanningAtOnce] = useState(confirmAtOnce);
  useEffect(() => {
    if (confirmAtOnce) void review().finally(() => setPlanningAtOnce(false));
    // Only when the dialog opens.
  }, []);
  const runTest = () =>
    attempt(async () => {
      setTest(undefined);
      setTest(await management.testServer(plan!.plan));
    });
  const save = () =>
    attempt(async () => {
      const saved = await management.saveServer(plan!.plan);
      show(`${saved.id} is saved in ${saved.file}`);
      await client.reloadConfig();
      onClose();
      location.hash = hrefOf("servers", saved.id);
    });
  const backToForm = () => {
    setError(undefined);
    setPlan(undefined);
  };
  return (
    <Dialog
      title={plan || planningAtOnce ? "Confirm what will run" : title}
      onClose={onClose}
      actions={
        plan ? (
          <>
            <Button onClick={backToForm}>Back</Button>
            <ActionButton kind={test?.ok ? "plain" : "primary"} onAction={runTest}>
              Test it
            </ActionButton>
            <ActionButton kind={test?.ok ? "primary" : "plain"} onAction={save}>
              Save
            </ActionButton>
          </>
        ) : (
          <>
            <Button onClick={onBack ?? onClose}>{onBack ? "Back" : "Cancel"}</Button>
            <ActionButton kind="primary" onAction={review}>
              Continue
            </ActionButton>
          </>
        )
      }
    >
      {plan ? (
        <>
          <PlanReview plan={plan} />
          {test && <TestResult test={test} />}
        </>
      ) : planningAtOnce ? (
        <p className="muted">Checking the definition…</p>
      ) : (
        children
      )}
      {error !== undefined && <Notice tone="danger">{error}</Notice>}
    </Dialog>
  );
}
