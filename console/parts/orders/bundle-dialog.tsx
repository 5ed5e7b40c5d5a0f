import { useState } from "preact/hooks";
import { pathTo } from "../../address.ts";
import { post } from "../../api.ts";
import { changes } from "../../live.ts";
import { say } from "../../say.ts";
import { Dialog, DialogFooter, ReasonField } from "../dialog.tsx";
import { useSubmit } from "../forms/submit.ts";

/**
 * Saves everything about an order as a file. The reason is kept in the audit log, because data of the order leaves the
 * house.
 */
export function BundleDialog({ number, onClose }: { readonly number: string; readonly onClose: () => void }) {
  const [reason, setReason] = useState("");
  const { isBusy, error, submit } = useSubmit();
  const download = async () => {
    const bundle = await post<object>(pathTo("admin", "orders", number, "bundle"), { reason });
    const file = new Blob([JSON.stringify(bundle, null, 2)], { type: "application/json" });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(file);
    link.download = `support-${number.replace(/[^\w.-]/g, "_").slice(0, 60)}.json`;
    link.click();
    URL.revokeObjectURL(link.href);
    changes.value++;
    onClose();
  };
  return (
    <Dialog title={say("bundle.title")} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit(download);
        }}
      >
        <p>{say("bundle.text")}</p>
        <ReasonField reason={reason} onReason={setReason} error={error} />
        <DialogFooter label={say("bundle.do")} isReady={reason.trim() !== "" && !isBusy} onClose={onClose} />
      </form>
    </Dialog>
  );
}
