import { message, type Of } from "./protobuf.ts";

/**
 * The messages of Spark Connect's protocol (4.0) that this client speaks, under the names of its .proto files.
 *
 * Field numbers never change between versions of Spark; a test compares them with the server's own descriptors.
 * `bytes` stand for an inner message where one holds another of its own kind: Relation, Expression, Literal, DataType.
 */

export const UserContext = message("UserContext", { user_id: [1, "string"], user_name: [2, "string"] });

/** What every request tells of its caller. */
const caller = { session_id: [1, "string"], user_context: [2, UserContext] } as const;

// ---- data types ----

const Parameterless = message("DataType.Long", { type_variation_reference: [1, "int32"] });

export const DecimalType = message("DataType.Decimal", { scale: [1, "int32"], precision: [2, "int32"] });
export const StringType = message("DataType.String", { collation: [2, "string"] });
export const LengthType = message("DataType.VarChar", { length: [1, "int32"] });
export const IntervalType = message("DataType.DayTimeInterval", { start_field: [1, "int32"], end_field: [2, "int32"] });
export const ArrayType = message("DataType.Array", { element_type: [1, "bytes"], contains_null: [2, "bool"] });
export const MapType = message("DataType.Map", {
  key_type: [1, "bytes"],
  value_type: [2, "bytes"],
  value_contains_null: [3, "bool"],
});
export const StructField = message("DataType.StructField", {
  name: [1, "string"],
  data_type: [2, "bytes"],
  nullable: [3, "bool"],
  metadata: [4, "string"],
});
export const StructType = message("DataType.Struct", { fields: [1, StructField, "repeated"] });
export const UserDefinedType = message("DataType.UDT", { type: [1, "string"], sql_type: [5, "bytes"] });
export const UnparsedType = message("DataType.Unparsed", { data_type_string: [1, "string"] });

export const DataType = message("DataType", {
  null: [1, Parameterless],
  binary: [2, Parameterless],
  boolean: [3, Parameterless],
  byte: [4, Parameterless],
  short: [5, Parameterless],
  integer: [6, Parameterless],
  long: [7, Parameterless],
  float: [8, Parameterless],
  double: [9, Parameterless],
  decimal: [10, DecimalType],
  string: [11, StringType],
  char: [12, LengthType],
  var_char: [13, LengthType],
  date: [14, Parameterless],
  timestamp: [15, Parameterless],
  timestamp_ntz: [16, Parameterless],
  calendar_interval: [17, Parameterless],
  year_month_interval: [18, IntervalType],
  day_time_interval: [19, IntervalType],
  array: [20, ArrayType],
  struct: [21, StructType],
  map: [22, MapType],
  udt: [23, UserDefinedType],
  unparsed: [24, UnparsedType],
  variant: [25, Parameterless],
});

// ---- literals and relations ----

export const DecimalLiteral = message("Expression.Literal.Decimal", {
  value: [1, "string"],
  precision: [2, "int32"],
  scale: [3, "int32"],
});
export const ArrayLiteral = message("Expression.Literal.Array", {
  element_type: [1, DataType],
  elements: [2, "bytes", "repeated"],
});
const Integers = message("Ints", { values: [1, "int32", "repeated"] });
const Doubles = message("Doubles", { values: [1, "double", "repeated"] });
export const SpecializedArray = message("Expression.Literal.SpecializedArray", {
  ints: [2, Integers],
  doubles: [5, Doubles],
});
export const StructLiteral = message("Expression.Literal.Struct", { elements: [2, "bytes", "repeated"] });
export const Literal = message("Expression.Literal", {
  null: [1, DataType],
  binary: [2, "bytes"],
  boolean: [3, "bool"],
  byte: [4, "int32"],
  short: [5, "int32"],
  integer: [6, "int32"],
  long: [7, "int64"],
  float: [10, "float"],
  double: [11, "double"],
  decimal: [12, DecimalLiteral],
  string: [13, "string"],
  date: [16, "int32"],
  timestamp: [17, "int64"],
  timestamp_ntz: [18, "int64"],
  array: [22, ArrayLiteral],
  struct: [24, StructLiteral],
  specialized_array: [25, SpecializedArray],
});
const ExpressionText = message("Expression.ExpressionString", { expression: [1, "string"] });
export const Expression = message("Expression", { literal: [1, Literal], expression_string: [4, ExpressionText] });

const NamedArgument = message("SQL.NamedArgumentsEntry", { key: [1, "string"], value: [2, Expression] });
export const Sql = message("SQL", {
  query: [1, "string"],
  named_arguments: [4, NamedArgument, "repeated"],
  pos_arguments: [5, Expression, "repeated"],
});

const TableOption = message("Read.NamedTable.OptionsEntry", { key: [1, "string"], value: [2, "string"] });
export const NamedTable = message("Read.NamedTable", {
  unparsed_identifier: [1, "string"],
  options: [2, TableOption, "repeated"],
});
const SourceOption = message("Read.DataSource.OptionsEntry", { key: [1, "string"], value: [2, "string"] });
export const DataSource = message("Read.DataSource", {
  format: [1, "string"],
  schema: [2, "string"],
  options: [3, SourceOption, "repeated"],
  paths: [4, "string", "repeated"],
});
export const Read = message("Read", { named_table: [1, NamedTable], data_source: [2, DataSource] });
export const LocalRelation = message("LocalRelation", { data: [1, "bytes"], schema: [2, "string"] });

export const Project = message("Project", { input: [1, "bytes"], expressions: [3, Expression, "repeated"] });

// ---- machine learning ----

const MlParameter = message("MlParams.ParamsEntry", { key: [1, "string"], value: [2, Literal] });
const MlParameters = message("MlParams", { params: [1, MlParameter, "repeated"] });
/** The kinds of operators. */
export const operatorTypes = { estimator: 1, transformer: 2 } as const;
export const MlOperator = message("MlOperator", { name: [1, "string"], uid: [2, "string"], type: [3, "int32"] });
const ObjectReference = message("ObjectRef", { id: [1, "string"] });
const FetchMethod = message("Fetch.Method", { method: [1, "string"] });
export const Fetch = message("Fetch", { obj_ref: [1, ObjectReference], methods: [2, FetchMethod, "repeated"] });
const MlFit = message("MlCommand.Fit", {
  estimator: [1, MlOperator],
  params: [2, MlParameters],
  dataset: [3, "bytes"],
});
const MlDelete = message("MlCommand.Delete", { obj_refs: [1, ObjectReference, "repeated"] });
export const MlCommand = message("MlCommand", { fit: [1, MlFit], fetch: [2, Fetch], delete: [3, MlDelete] });
const MlOperatorInfo = message("MlCommandResult.MlOperatorInfo", { obj_ref: [1, ObjectReference], uid: [3, "string"] });
export const MlCommandResult = message("MlCommandResult", { param: [1, Literal], operator_info: [3, MlOperatorInfo] });
const MlTransform = message("MlRelation.Transform", {
  obj_ref: [1, ObjectReference],
  transformer: [2, MlOperator],
  input: [3, "bytes"],
  params: [4, MlParameters],
});
const MlRelation = message("MlRelation", { transform: [1, MlTransform] });

export const Relation = message("Relation", {
  read: [2, Read],
  project: [3, Project],
  sql: [10, Sql],
  local_relation: [11, LocalRelation],
  ml_relation: [300, MlRelation],
});

export const SqlCommand = message("SqlCommand", { input: [6, "bytes"] });
export const CreateView = message("CreateDataFrameViewCommand", {
  input: [1, "bytes"],
  name: [2, "string"],
  is_global: [3, "bool"],
  replace: [4, "bool"],
});
export const Command = message("Command", {
  create_dataframe_view: [3, CreateView],
  sql_command: [5, SqlCommand],
  ml_command: [17, MlCommand],
});
export const Plan = message("Plan", { root: [1, "bytes"], command: [2, Command] });

// ---- ExecutePlan and what belongs to it ----

const ReattachOptions = message("ReattachOptions", { reattachable: [1, "bool"] });
const RequestOption = message("ExecutePlanRequest.RequestOption", { reattach_options: [1, ReattachOptions] });

export const ExecutePlanRequest = message("ExecutePlanRequest", {
  ...caller,
  plan: [3, Plan],
  client_type: [4, "string"],
  request_options: [5, RequestOption, "repeated"],
  operation_id: [6, "string"],
  tags: [7, "string", "repeated"],
  client_observed_server_side_session_id: [8, "string"],
});

export const ArrowBatch = message("ExecutePlanResponse.ArrowBatch", {
  row_count: [1, "int64"],
  data: [2, "bytes"],
  start_offset: [3, "int64"],
});
const SqlCommandResult = message("ExecutePlanResponse.SqlCommandResult", { relation: [1, "bytes"] });
const ResultComplete = message("ExecutePlanResponse.ResultComplete", {});
const StageInfo = message("ExecutePlanResponse.ExecutionProgress.StageInfo", {
  stage_id: [1, "int64"],
  num_tasks: [2, "int64"],
  num_completed_tasks: [3, "int64"],
  input_bytes_read: [4, "int64"],
  done: [5, "bool"],
});
export const ExecutionProgress = message("ExecutePlanResponse.ExecutionProgress", {
  stages: [1, StageInfo, "repeated"],
  num_inflight_tasks: [2, "int64"],
});
const MetricValue = message("ExecutePlanResponse.Metrics.MetricValue", {
  name: [1, "string"],
  value: [2, "int64"],
  metric_type: [3, "string"],
});
const MetricEntry = message("ExecutePlanResponse.Metrics.MetricObject.ExecutionMetricsEntry", {
  key: [1, "string"],
  value: [2, MetricValue],
});
const MetricObject = message("ExecutePlanResponse.Metrics.MetricObject", {
  name: [1, "string"],
  plan_id: [2, "int64"],
  parent: [3, "int64"],
  execution_metrics: [4, MetricEntry, "repeated"],
});
export const Metrics = message("ExecutePlanResponse.Metrics", { metrics: [1, MetricObject, "repeated"] });

export const ExecutePlanResponse = message("ExecutePlanResponse", {
  session_id: [1, "string"],
  arrow_batch: [2, ArrowBatch],
  metrics: [4, Metrics],
  sql_command_result: [5, SqlCommandResult],
  schema: [7, DataType],
  operation_id: [12, "string"],
  response_id: [13, "string"],
  result_complete: [14, ResultComplete],
  server_side_session_id: [15, "string"],
  execution_progress: [18, ExecutionProgress],
  ml_command_result: [20, MlCommandResult],
});

export const ReattachExecuteRequest = message("ReattachExecuteRequest", {
  ...caller,
  operation_id: [3, "string"],
  client_type: [4, "string"],
  last_response_id: [5, "string"],
  client_observed_server_side_session_id: [6, "string"],
});

const ReleaseAll = message("ReleaseExecuteRequest.ReleaseAll", {});
const ReleaseUntil = message("ReleaseExecuteRequest.ReleaseUntil", { response_id: [1, "string"] });
export const ReleaseExecuteRequest = message("ReleaseExecuteRequest", {
  ...caller,
  operation_id: [3, "string"],
  client_type: [4, "string"],
  release_all: [5, ReleaseAll],
  release_until: [6, ReleaseUntil],
});
export const ReleaseExecuteResponse = message("ReleaseExecuteResponse", { session_id: [1, "string"] });

/** The kinds of interrupts. */
export const interruptTypes = { all: 1, tag: 2, operation: 3 } as const;

export const InterruptRequest = message("InterruptRequest", {
  ...caller,
  client_type: [3, "string"],
  interrupt_type: [4, "int32"],
  operation_tag: [5, "string"],
  operation_id: [6, "string"],
});
export const InterruptResponse = message("InterruptResponse", {
  session_id: [1, "string"],
  interrupted_ids: [2, "string", "repeated"],
});

// ---- AnalyzePlan, Config, ReleaseSession ----

/** How much an explanation tells. */
export const explainModes = { simple: 1, extended: 2, codegen: 3, cost: 4, formatted: 5 } as const;

const AnalyzeSchema = message("AnalyzePlanRequest.Schema", { plan: [1, Plan] });
const AnalyzeExplain = message("AnalyzePlanRequest.Explain", { plan: [1, Plan], explain_mode: [2, "int32"] });
const AnalyzeFiles = message("AnalyzePlanRequest.InputFiles", { plan: [1, Plan] });
const AnalyzeVersion = message("AnalyzePlanRequest.SparkVersion", {});
export const AnalyzePlanRequest = message("AnalyzePlanRequest", {
  ...caller,
  client_type: [3, "string"],
  schema: [4, AnalyzeSchema],
  explain: [5, AnalyzeExplain],
  input_files: [9, AnalyzeFiles],
  spark_version: [10, AnalyzeVersion],
  client_observed_server_side_session_id: [17, "string"],
});

const FoundSchema = message("AnalyzePlanResponse.Schema", { schema: [1, DataType] });
const FoundExplain = message("AnalyzePlanResponse.Explain", { explain_string: [1, "string"] });
const FoundFiles = message("AnalyzePlanResponse.InputFiles", { files: [1, "string", "repeated"] });
const FoundVersion = message("AnalyzePlanResponse.SparkVersion", { version: [1, "string"] });
export const AnalyzePlanResponse = message("AnalyzePlanResponse", {
  session_id: [1, "string"],
  schema: [2, FoundSchema],
  explain: [3, FoundExplain],
  input_files: [7, FoundFiles],
  spark_version: [8, FoundVersion],
  server_side_session_id: [15, "string"],
});

const KeyValue = message("KeyValue", { key: [1, "string"], value: [2, "string"] });
const SetConfig = message("ConfigRequest.Set", { pairs: [1, KeyValue, "repeated"] });
const GetConfig = message("ConfigRequest.GetOption", { keys: [1, "string", "repeated"] });
const ConfigOperation = message("ConfigRequest.Operation", { set: [1, SetConfig], get_option: [4, GetConfig] });
export const ConfigRequest = message("ConfigRequest", {
  ...caller,
  operation: [3, ConfigOperation],
  client_type: [4, "string"],
  client_observed_server_side_session_id: [8, "string"],
});
export const ConfigResponse = message("ConfigResponse", {
  session_id: [1, "string"],
  pairs: [2, KeyValue, "repeated"],
  server_side_session_id: [4, "string"],
});

export const ReleaseSessionRequest = message("ReleaseSessionRequest", { ...caller, client_type: [3, "string"] });
export const ReleaseSessionResponse = message("ReleaseSessionResponse", { session_id: [1, "string"] });

// ---- what an error tells (google.rpc) ----

const Any = message("google.protobuf.Any", { type_url: [1, "string"], value: [2, "bytes"] });
export const Status = message("google.rpc.Status", {
  code: [1, "int32"],
  message: [2, "string"],
  details: [3, Any, "repeated"],
});
const InfoEntry = message("google.rpc.ErrorInfo.MetadataEntry", { key: [1, "string"], value: [2, "string"] });
export const ErrorInfo = message("google.rpc.ErrorInfo", {
  reason: [1, "string"],
  domain: [2, "string"],
  metadata: [3, InfoEntry, "repeated"],
});

/** What is worked out, as the protocol tells it. */
export type PlanMessage = Of<typeof Plan>;
export type DataTypeMessage = Of<typeof DataType>;
