/** What a file is, by its name alone. */

const MARKDOWN = 'md markdown mdown mkd';

const CODE =
  'ts tsx mts cts js jsx mjs cjs vue svelte astro py pyi pyx rb php pl pm lua r jl go rs zig nim java kt kts ' +
  'scala groovy gradle clj cljs cljc edn ex exs erl hrl hs ml mli fs fsi fsx elm c h cc cpp cxx hh hpp hxx ino ' +
  'cu m mm cs vb swift dart d pas asm s v sv vhd vhdl sol sh bash zsh fish ps1 psm1 bat cmd awk sed yaml yml ' +
  'json json5 jsonc toml ini cfg conf properties env css scss sass less styl sql graphql gql proto thrift xml ' +
  'xsd xsl xslt wsdl plist tf tfvars hcl nix cmake mk dockerfile diff patch lisp el scm rkt tcl vim';

/** Formats whose parser comes later: left out and listed, because as plain text they would be mostly marks. */
const PARSER_TO_COME = {
  'HTML page': 'html htm xhtml',
  'LaTeX file': 'tex bib ltx sty cls',
  'mail file': 'eml mbox',
  'PDF file': 'pdf',
  'office document': 'doc docx dot dotx ppt pptx xls xlsx odt ods odp rtf pages numbers key',
  'e-book': 'epub mobi',
  notebook: 'ipynb',
} as const;

/** Formats without words. */
const WORDLESS = {
  image: 'png jpg jpeg jpe gif webp avif bmp ico icns tif tiff heic heif svg psd ai eps xcf',
  'sound or film': 'mp3 wav ogg oga flac m4a aac mp4 m4v mov avi mkv webm wmv',
  archive: 'zip tar gz tgz bz2 tbz xz txz zst 7z rar jar war whl deb rpm dmg iso apk',
  font: 'woff woff2 ttf otf eot',
  'compiled file': 'exe dll so dylib a o obj lib class pyc pyo wasm bin dat pack idx',
  'model or array': 'onnx safetensors gguf pt pth npy npz parquet arrow feather',
} as const;

const byExtension = (kinds: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(kinds).flatMap(([kind, list]) => list.split(' ').map((extension) => [extension, kind])));

/** Files that hold many documents, one a record. */
export const JSON_LINES = 'application/x-ndjson';
export const SQLITE = 'application/vnd.sqlite3';

const MEDIA_TYPES = byExtension({
  'text/markdown': MARKDOWN,
  'text/mdx': 'mdx',
  'text/x-code': CODE,
  [JSON_LINES]: 'jsonl ndjson',
  [SQLITE]: 'db db3 sqlite sqlite3',
});
const WITHOUT_PARSER = byExtension({ ...PARSER_TO_COME, ...WORDLESS });

/** Lower-case, without the dot; `''` for a name that has none. */
export function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
}

/** What a name says of a file: its media type, or the kind of file that no parser reads. Unknown names are text. */
export function mediaTypeOf(path: string): { readonly mediaType: string } | { readonly unparsed: string } {
  const extension = extensionOf(path);
  const unparsed = WITHOUT_PARSER.get(extension);
  if (unparsed !== undefined) return { unparsed };
  return { mediaType: MEDIA_TYPES.get(extension) ?? 'text/plain' };
}
