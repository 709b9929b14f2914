//! The macros that implement [`Configurable`](super::Configurable) and [`Choice`](super::Choice).

/// Implements [`Configurable`](super::Configurable) for a struct. The doc comment of a setting is its help, and the
/// expression after the comma is the [domain](super::Domain) of its values.
///
/// `struct` defines the struct too, with the defaults after `=`. `impl` takes a struct that is defined elsewhere and has
/// a `Default` of its own; the name of the setting stands before the arrow, the field after it. A part after `..` adds
/// its settings at the end.
macro_rules! settings {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $type:ident {
            $( $(#[doc = $help:literal])+ $name:ident: $field_type:ty = $default:expr, $domain:expr; )*
            $( ..$part:ident: $part_type:ty; )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        $visibility struct $type {
            $( $(#[doc = $help])+ pub $name: $field_type, )*
            $( #[doc = "More settings."] pub $part: $part_type, )*
        }

        impl Default for $type {
            fn default() -> $type {
                $type { $( $name: $default, )* $( $part: <$part_type>::default(), )* }
            }
        }

        $crate::settings::settings! {
            impl $type {
                $( $(#[doc = $help])+ $name => $name, $domain; )*
                $( ..$part; )*
            }
        }
    };
    (
        impl $type:ty {
            $( $(#[doc = $help:literal])+ $name:ident => $($field:ident).+, $domain:expr; )*
            $( ..$($part:ident).+; )*
        }
    ) => {
        impl $crate::settings::Configurable for $type {
            fn settings(&self) -> Vec<$crate::settings::Setting> {
                #[allow(unused_mut)]
                let mut all = vec![ $(
                    $crate::settings::Setting::of(stringify!($name), concat!($($help),+), &self.$($field).+, &$domain)
                ),* ];
                $( all.extend($crate::settings::Configurable::settings(&self.$($part).+)); )*
                all
            }

            #[allow(unused_variables)]
            fn set(
                &mut self,
                name: &str,
                value: &$crate::spec::Written,
            ) -> Option<Result<(), $crate::spec::SpecError>> {
                $( if name == stringify!($name) {
                    let field = &mut self.$($field).+;
                    return Some($crate::settings::assign(stringify!($name), field, &$domain, value));
                } )*
                let result = None;
                $( let result = result.or_else(|| {
                    $crate::settings::Configurable::set(&mut self.$($part).+, name, value)
                }); )*
                result
            }

            fn files(&self) -> Vec<&$crate::settings::NamedFile> {
                #[allow(unused_mut)]
                let mut all = Vec::new();
                $( all.extend($crate::settings::Domain::files(&$domain, &self.$($field).+)); )*
                $( all.extend($crate::settings::Configurable::files(&self.$($part).+)); )*
                all
            }
        }
    };
}

/// Implements [`Choice`](super::Choice) for an enum. An option is a name and
/// - `= VALUE`, for a value without settings,
/// - `=> VARIANT(TYPE)`, for a variant with a settings struct, or
/// - `: VARIANT { name => field = DEFAULT, DOMAIN; }`, for a variant with one field.
macro_rules! choice {
    (
        impl $type:ty {
            $(
                $(#[doc = $help:literal])+
                $name:literal
                $( => $($tuple:ident)::+ ( $payload:ty ) )?
                $( : $($variant:ident)::+ {
                    $(#[doc = $field_help:literal])+ $setting:ident => $field:tt = $default:expr, $domain:expr;
                } )?
                $( = $value:expr )?
                ;
            )*
        }
    ) => {
        impl $crate::settings::Choice for $type {
            fn options() -> Vec<(&'static str, &'static str, $type)> {
                vec![ $( (
                    $name,
                    concat!($($help),+),
                    $( $value )?
                    $( $($tuple)::+(<$payload>::default()) )?
                    $( $($variant)::+ { $field: $default } )?
                ) ),* ]
            }

            fn name(&self) -> &'static str {
                $(
                    $( if *self == $value { return $name; } )?
                    $( if let $($tuple)::+(_) = self { return $name; } )?
                    $( if let $($variant)::+ { $field: _ } = self { return $name; } )?
                )*
                // Only values that no spec can name come here.
                "other"
            }
        }

        impl $crate::settings::Configurable for $type {
            fn settings(&self) -> Vec<$crate::settings::Setting> {
                $(
                    $( if let $($tuple)::+(settings) = self {
                        let settings: &$payload = settings;
                        return $crate::settings::Configurable::settings(settings);
                    } )?
                    $( if let $($variant)::+ { $field: field } = self {
                        let help = concat!($($field_help),+);
                        return vec![$crate::settings::Setting::of(stringify!($setting), help, field, &$domain)];
                    } )?
                )*
                Vec::new()
            }

            #[allow(unused_variables)]
            fn set(
                &mut self,
                name: &str,
                value: &$crate::spec::Written,
            ) -> Option<Result<(), $crate::spec::SpecError>> {
                $(
                    $( if let $($tuple)::+(settings) = self {
                        let settings: &mut $payload = settings;
                        return $crate::settings::Configurable::set(settings, name, value);
                    } )?
                    $( if let $($variant)::+ { $field: field } = self {
                        let is_known = name == stringify!($setting);
                        return is_known.then(|| {
                            $crate::settings::assign(stringify!($setting), field, &$domain, value)
                        });
                    } )?
                )*
                None
            }

            fn files(&self) -> Vec<&$crate::settings::NamedFile> {
                $( $( if let $($tuple)::+(settings) = self {
                    let settings: &$payload = settings;
                    return $crate::settings::Configurable::files(settings);
                } )? )*
                Vec::new()
            }
        }
    };
}

pub(crate) use {choice, settings};
