/** Adds or changes a server in two steps: a form, then the exact command to confirm, test and save. */
import { useEffect, useId, useRef, useState } from "react";
import type { ReactNode } from "react";
import type { ServerPlan, ServerTest, StorableSecrets } from "@plugboard/contracts";
import { ActionButton, Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Notice } from "../../../components/layout.tsx";
import { useToaster } from "../../../components/toasts.tsx";
import { messageOf } from "../../../format/message-of.ts";
import { hrefOf } from "../../../hooks/route.ts";
import { useClient } from "../../../hooks/context.tsx";
import { PlanReview, shownPlan, TestProgress, TestResult } from "./plan-review.tsx";

interface PlanDialogProps {
  readonly title: string;
  /**
   * Makes the plan from the form. Throws an error with a message for the user. Returns undefined if a field shows it.
   */
  readonly makePlan: () => Promise<ServerPlan | undefined>;
  /** Begins with the command to confirm. The button Back leads to the form. */
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
  /** True if the secrets of the definition are stored as secrets, not in the config file. */
  const [storing, setStoring] = useState(false);
  const [test, setTest] = useState<ServerTest>();
  const [error, setError] = useState<string>();
  const { operations } = client.connected;
  const attempt = async (work: () => Promise<void>) => {
    setError(undefined);
    try {
      await work();
    } catch (thrown) {
      setError(messageOf(thrown));
    }
  };
  const formId = useId();
  const [planning, setPlanning] = useState(false);
  const review = async () => {
    setPlanning(true);
    await attempt(async () => {
      setTest(undefined);
      const made = await makePlan();
      setPlan(made);
      setStoring(storesByDefault(made?.storable));
    });
    setPlanning(false);
  };
  const [planningAtOnce, setPlanningAtOnce] = useState(confirmAtOnce);
  useEffect(() => {
    if (confirmAtOnce) void review().finally(() => setPlanningAtOnce(false));
    // Only when the dialog opens.
  }, []);
  const [testSince, setTestSince] = useState<number>();
  /** Cancels the running test. The user may leave the step or the dialog meanwhile. */
  const cancelTest = useRef(() => {});
  useEffect(() => () => cancelTest.current(), []);
  const runTest = async () => {
    const abort = new AbortController();
    cancelTest.current = () => abort.abort();
    const { signal } = abort;
    setTest(undefined);
    setError(undefined);
    setTestSince(Date.now());
    try {
      const result = await operations.testServer(plan!.plan, { signal });
      if (!signal.aborted) setTest(result);
    } catch (thrown) {
      if (!signal.aborted) setError(messageOf(thrown));
    }
    if (!signal.aborted) setTestSince(undefined);
  };
  const save = () =>
    attempt(async () => {
      const saved = await operations.saveServer(plan!.plan, { storeSecrets: storing });
      show(`${saved.definition.id} is saved in ${saved.definition.file}`);
      await client.reloadConfig();
      onClose();
      location.hash = hrefOf("servers", saved.definition.id);
    });
  const backToForm = () => {
    setError(undefined);
    setPlan(undefined);
    setTestSince(undefined);
    cancelTest.current();
  };
  return (
    <Dialog
      title={plan || planningAtOnce ? "Confirm what will run" : title}
      onClose={onClose}
      actions={
        plan ? (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button onClick={backToForm}>Back</Button>
            <Button
              kind={test?.ok ? "plain" : "primary"}
              disabled={testSince !== undefined}
              aria-busy={testSince !== undefined}
              onClick={() => void runTest()}
            >
              Test it
            </Button>
            <ActionButton
              kind={test?.ok ? "primary" : "plain"}
              disabled={shownPlan(plan, storing).changes?.length === 0}
              onAction={save}
            >
              Save
            </ActionButton>
          </>
        ) : (
          <>
            <Button onClick={onBack ?? onClose}>{onBack ? "Back" : "Cancel"}</Button>
            {/* The key makes this a new element. The button that was pressed in this place must not submit the form. */}
            <Button key="continue" type="submit" form={formId} kind="primary" disabled={planning} aria-busy={planning}>
              Continue
            </Button>
          </>
        )
      }
    >
      {plan ? (
        <>
          <PlanReview plan={plan} storing={storing} onStoring={setStoring} />
          {testSince !== undefined && <TestProgress plan={plan} since={testSince} />}
          {test && <TestResult test={test} />}
        </>
      ) : planningAtOnce ? (
        <p className="muted">Checking the definition…</p>
      ) : (
        <form
          id={formId}
          className="stack"
          noValidate
          onInput={() => setError(undefined)}
          onSubmit={(event) => {
            event.preventDefault();
            void review();
          }}
        >
          {children}
        </form>
      )}
      {error !== undefined && <Notice tone="danger">{error}</Notice>}
    </Dialog>
  );
}

/** Secrets that are in the config file already stay there by default. */
function storesByDefault(storable: StorableSecrets | undefined): boolean {
  return storable !== undefined && storable.secretStoreProblem === undefined && !storable.alreadyPlain;
}
