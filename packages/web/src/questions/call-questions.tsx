/** Shows the open questions about one call, beside the call. */
import { useLayoutEffect, useRef } from "react";
import type { ReactNode } from "react";
import { usePage } from "../hooks/context.tsx";
import { isAboutCall } from "../store/page-call.ts";
import type { PageCall } from "../store/page-call.ts";
import { QuestionCard } from "./question-card.tsx";
import { QuestionList } from "./question-list.tsx";

/** `besideTool`: see `QuestionCard`. */
export function CallQuestions({ besideTool = false, ...call }: PageCall & { readonly besideTool?: boolean }) {
  const questions = usePage((state) => state.questions);
  return (
    <QuestionList
      questions={questions.filter((question) => isAboutCall(question, call))}
      card={(question) => (
        <ScrolledIntoView key={question.id}>
          <QuestionCard question={question} besideTool={besideTool} />
        </ScrolledIntoView>
      )}
    />
  );
}

/** A question may appear below the visible part of the page. */
function ScrolledIntoView({ children }: { children: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    ref.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <div ref={ref} className="scrolled-question">
      {children}
    </div>
  );
}
