/** Name → how to load it; only the subject that is measured is in its process. */
const SUBJECTS = {
  'footnote-1': async () => (await import('./footnote.mjs')).default(['dense']),
  'footnote-2': async () => (await import('./footnote.mjs')).default(['dense', 'heading']),
  'sqlite-vec': async () => (await import('./sqlite-vec.mjs')).default(),
  langchain: async () => (await import('./langchain.mjs')).default(),
};

export const openSubject = (name) => SUBJECTS[name]();
