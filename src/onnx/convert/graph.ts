/** Builds the graph of an ONNX model, node by node (onnx.proto of ONNX 1.12: IR 8, operator set 17). */
import { message } from './protobuf.ts';
import type { Bytes, Field } from './protobuf.ts';

/** `TensorProto.DataType`. */
const DATA_TYPES = { float32: 1, int64: 7, float16: 10, bfloat16: 16 } as const;
export type DataType = keyof typeof DATA_TYPES;

/** A tensor that is part of the model, its values little-endian and in row-major order. */
export interface Constant {
  readonly type: DataType;
  readonly dims: readonly number[];
  readonly bytes: Uint8Array;
}

/** Names of axes stand for lengths that differ from run to run. */
export type Axes = readonly (string | number)[];

/** A whole number, several, or a number with a fraction. */
export type Attributes = Readonly<Record<string, number | readonly number[] | { readonly float: number }>>;

/** Name of a value in the graph. */
export type Value = string;

export interface GraphBuilder {
  readonly input: (name: string, type: DataType, axes: Axes) => Value;
  readonly constant: (constant: Constant) => Value;
  /** What `operator` makes of its inputs. @param name of the result, for outputs; default: one that is free */
  readonly node: (operator: string, inputs: readonly Value[], attributes?: Attributes, name?: string) => Value;
  readonly output: (value: Value, type: DataType, axes: Axes) => void;
  /** The whole file. */
  readonly model: () => Bytes;
}

export const floats = (values: readonly number[], dims: readonly number[] = [values.length]): Constant => ({
  type: 'float32',
  dims,
  bytes: new Uint8Array(Float32Array.from(values).buffer),
});

export const integers = (values: readonly number[], dims: readonly number[] = [values.length]): Constant => ({
  type: 'int64',
  dims,
  bytes: new Uint8Array(BigInt64Array.from(values, BigInt).buffer),
});

/** `TensorProto.DataType` as the operator `Cast` wants it. */
export const FLOAT32: number = DATA_TYPES.float32;

const IR_VERSION = 8;
const OPERATOR_SET = 17;
/** `AttributeProto.AttributeType`. */
const KIND = { float: 1, integer: 2, integers: 7 };

export function graphBuilder(): GraphBuilder {
  const nodes: Field[] = [];
  const constants: Field[] = [];
  const inputs: Field[] = [];
  const outputs: Field[] = [];
  return {
    input(name, type, axes) {
      inputs.push([11, valueInfo(name, type, axes)]);
      return name;
    },
    constant({ type, dims, bytes }) {
      const name = `constant_${constants.length}`;
      const sizes = dims.map((size): Field => [1, size]);
      constants.push([5, message(...sizes, [2, DATA_TYPES[type]], [8, name], [9, bytes])]);
      return name;
    },
    node(operator, from, attributes = {}, name = `${operator}_${nodes.length}`) {
      const fields = [
        ...from.map((value): Field => [1, value]),
        ...([
          [2, name],
          [3, name],
          [4, operator],
        ] as const),
        ...Object.entries(attributes).map(([key, value]): Field => [5, attribute(key, value)]),
      ];
      nodes.push([1, message(...fields)]);
      return name;
    },
    output(value, type, axes) {
      outputs.push([12, valueInfo(value, type, axes)]);
    },
    model() {
      const graph = message(...nodes, [2, 'footnote'], ...constants, ...inputs, ...outputs);
      return message([1, IR_VERSION], [2, 'footnote'], [7, graph], [8, message([1, ''], [2, OPERATOR_SET])]);
    },
  };
}

function attribute(name: string, value: Attributes[string]): Bytes {
  if (typeof value === 'number') return message([1, name], [3, value], [20, KIND.integer]);
  if ('float' in value) return message([1, name], [2, value], [20, KIND.float]);
  return message([1, name], ...value.map((one): Field => [8, one]), [20, KIND.integers]);
}

function valueInfo(name: string, type: DataType, axes: Axes): Bytes {
  const shape = message(...axes.map((axis): Field => [1, message(typeof axis === 'number' ? [1, axis] : [2, axis])]));
  return message([1, name], [2, message([1, message([1, DATA_TYPES[type]], [2, shape])])]);
}
