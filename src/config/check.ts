import { RagError } from '../core/errors.ts';
import type { Settings } from '../core/settings.ts';
import { describeIssues } from './issues.ts';
import { settingsSchema } from './schema.ts';

/** Complete settings, checked also for what does not go together. @throws RagError `setting-invalid` */
export function checkSettings(value: unknown): Settings {
  const checked = settingsSchema.safeParse(value);
  if (checked.success) return checked.data;
  const issues = describeIssues(checked.error, value);
  throw new RagError('setting-invalid', issues.map((issue) => issue.message).join('; '), {
    hint: issues.find((issue) => issue.hint !== undefined)?.hint ?? 'footnote preset show default lists every setting',
  });
}
