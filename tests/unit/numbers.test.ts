import { describe, expect, test } from "vitest";
import { formatBounded, formatBytes, formatNumber, parseNumber } from "../../extension/src/model/numbers.ts";

describe("numbers off the wire", () => {
  test.each([
    [1.5, 1.5],
    ["#inf", Infinity],
    ["#-inf", -Infinity],
    ["#nan", NaN],
    ["#9223372036854775807", 9223372036854775807n],
    ["#-9223372036854775808", -9223372036854775808n],
  ])("%s is %s", (tagged, value) => expect(parseNumber(tagged)).toBe(value));
});

describe("numbers for people", () => {
  test.each([
    [0, "0"],
    [7, "7"],
    [-12, "−12"],
    [1234567, "1,234,567"],
    ["#9223372036854775807", "9,223,372,036,854,775,807"],
    ["#-9223372036854775808", "−9,223,372,036,854,775,808"],
    [0.5, "0.5"],
    [2.0001, "2.0"],
    [3.21456, "3.215"],
    [-0.012341, "−0.01234"],
    [12345.678, "12,350"],
    [1.23456e-7, "1.235e−7"],
    [6.02214076e23, "6.022e23"],
    [1e-5, "1.0e−5"],
    ["#inf", "∞"],
    ["#-inf", "−∞"],
    ["#nan", "NaN"],
  ])("%s reads %s", (value, text) => expect(formatNumber(value)).toBe(text));
});

describe("numbers with an error bound show only sure digits", () => {
  test.each([
    [0.123456, 0, "0.1235"],
    [0.123456, 1e-9, "0.1235"],
    [0.123456, 1e-3, "≈0.12"],
    [0.12345, 1e-6, "0.12345"],
    [0.12349999993, 3.9e-6, "0.1235"],
    [0.123456, 0.05, "≈0.1"],
    [54321.5, 2000, "≈50,000"],
    [4321.5, 20, "≈4,300"],
    [-3.7e-9, 1e-8, "≈0"],
    [0, 1e-8, "≈0"],
    ["#nan", 1, "NaN"],
  ])("%s ± %s reads %s", (value, error, text) => expect(formatBounded(value, error)).toBe(text));
});

describe("bytes for people", () => {
  test.each([
    [0, "0 B"],
    [1023, "1023 B"],
    [1536, "1.5 KB"],
    [20_000_000, "19.1 MB"],
    ["#9223372036854775807", "8190 PB"],
  ])("%s reads %s", (bytes, text) => expect(formatBytes(bytes)).toBe(text));
});
